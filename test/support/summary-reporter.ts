import type { Reporter, TestModule } from 'vitest/node';

/** Says why each skipped test was skipped, and ends the run with the one line that automation reads. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const reasons = new Map<string, number>();
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') count.passed += 1;
        else if (state === 'failed') count.failed += 1;
        else count.skipped += 1;
        const note = state === 'skipped' ? (test.result() as { note?: string }).note : undefined;
        if (state === 'skipped')
          reasons.set(note ?? 'no reason given', (reasons.get(note ?? 'no reason given') ?? 0) + 1);
      }
    }
    count.failed += unhandledErrors.length;
    for (const [reason, times] of reasons) console.log(`skipped ${times}: ${reason}`);
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
