import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What programs under test remember is nobody's: not the user's, and not the next run's. */
const data = mkdtempSync(join(tmpdir(), 'holdfast-data-'));
process.on('exit', () => rmSync(data, { recursive: true, force: true }));

export default defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As patient as test/support/wait-for.ts: it costs only where something is wrong.
    expect: { poll: { timeout: 40_000 } },
    // Two cores, and suites that start processes of their own.
    maxWorkers: 2,
    // Programs under test start in a third of the time where what Node compiled is kept.
    env: { HOLDFAST_DATA: data, NODE_COMPILE_CACHE: join(data, 'compiled') },
    reporters: ['default', './test/support/summary-reporter.ts'],
  },
});
