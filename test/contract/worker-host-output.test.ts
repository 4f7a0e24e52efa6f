// What every kind of worker host promises about what its workers write, on real processes: the command line's child
// processes, and Electron's utility processes as the stand-in runs them.

import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { hearOutput, invoke, KINDS, startWorker, workerHost } from '../support/worker-hosts.ts';

describe.each(KINDS)('a %s', (kind) => {
  const host = workerHost(kind);

  test('is heard line by line on both streams, what is no text and what has no end included', async () => {
    const output = hearOutput();
    const worker = await startWorker(
      host,
      String.raw`
      import { writeSync } from 'node:fs';
      console.log('one\ntwo\r');
      console.error('trouble \u0007');
      writeSync(1, Buffer.from([0x66, 0xff, 0x0a]));
      writeSync(1, '\u001e is no mark\n' + 'long '.repeat(10_000) + '\n');
      writeSync(1, 'no end');`,
      {},
      output,
    );
    worker.end();
    const { lastOutput } = await worker.exited;
    const texts = (stream: string): string[] =>
      output.lines.filter((line) => line.stream === stream).map((line) => line.text);
    const [one, two, broken, separator, long, ...rest] = texts('out');
    expect([one, two, broken, separator, rest]).toEqual([
      'one',
      'two',
      'f\ufffd',
      '\u001e is no mark',
      ['no end'],
    ]);
    expect(long).toMatch(/^long long /);
    expect(long!.length).toBeLessThanOrEqual(20 * 1024);
    expect(texts('err')).toEqual(['trouble \u0007']);
    expect(output.lines.every((line) => line.run === null)).toBe(true);
    expect(lastOutput).toContain('no end');
    expect(lastOutput).not.toMatch(/\u001e[0-9a-f]{24}/);
  });

  test('what it writes belongs to the run in hand, where that is the only one', async () => {
    const output = hearOutput();
    const worker = await startWorker(
      host,
      `
      console.log('before');
      const gates = [];
      export default { async onTrigger(ctx, event) {
        console.log('begins ' + event.eventId);
        if (event.eventId.startsWith('waits')) await new Promise((resolve) => gates.push(resolve));
        else gates.splice(0).forEach((open) => open());
        console.error('ends ' + event.eventId);
      } };`,
      {},
      output,
    );
    const done: number[] = [];
    worker.onMessage((message) => {
      if (message.type === 'invocation-done') done.push(message.run);
    });
    worker.send(invoke(1, 'first'));
    await waitFor(() => done.length === 1);
    worker.send(invoke(2, 'waits'));
    await waitFor(() => output.lines.some((line) => line.text === 'begins waits'));
    worker.send(invoke(3, 'opens'));
    await waitFor(() => done.length === 3);
    worker.end();
    await worker.exited;
    const run = (text: string): number | null | undefined =>
      output.lines.find((line) => line.text === text)?.run;
    expect(output.lines).toHaveLength(7);
    expect(run('before')).toBeNull();
    expect(run('begins first')).toBe(1);
    expect(run('ends first')).toBe(1);
    expect(run('begins waits')).toBe(2);
    expect(run('begins opens')).toBeNull();
  });

  test('a flood that nobody has room for is counted to its last line, and does not keep the worker from its end', async () => {
    const output = hearOutput();
    const worker = await startWorker(
      host,
      `
      import { writeSync } from 'node:fs';
      const lines = Buffer.from(('x'.repeat(9) + '\\n').repeat(6_554));
      export default { onTrigger() {
        for (let at = 0; at < 300; at += 1) {
          for (let done = 0; done < lines.length;) {
            try { done += writeSync(1, lines, done); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
          }
        }
        process.exit(5);
      } };`,
      {},
      output,
    );
    output.close();
    worker.send(invoke(1, 'event'));
    const exit = await worker.exited;
    expect(exit.code).toBe(5);
    expect(output.dropped + output.lines.length).toBe(300 * 6_554);
    expect(exit.lastOutput.length).toBeLessThanOrEqual(64 * 1024);
  });

  test('a flood through its log is bounded before it is sent, and says what was dropped', async () => {
    const worker = await startWorker(
      host,
      `export default { async onTrigger(ctx) {
        let at = 0;
        for (; at < 20_000; at += 1) ctx.log('line ' + at);
        for (; ; at += 1) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          ctx.log('line ' + at);
        }
      } };`,
    );
    const texts: string[] = [];
    worker.onMessage((message) => {
      if (message.type === 'log') texts.push(message.text);
    });
    worker.send(invoke(1, 'event'));
    const numberOf = (text: string | undefined): number => Number(/^line (\d+)$/.exec(text ?? '')?.[1]);
    // What comes slowly is heard again, and by then every line before it was heard or counted.
    const after = await waitFor(() => texts.find((text) => numberOf(text) >= 20_000), {
      what: 'a line after',
    });
    const said = texts.slice(0, texts.indexOf(after) + 1);
    expect(said.length).toBeLessThan(6_000);
    const dropped = said.flatMap((text) => /^… (\d+) lines dropped$/.exec(text)?.[1] ?? []).map(Number);
    expect(dropped.length).toBeGreaterThan(0);
    const lines = said.filter((text) => text.startsWith('line ')).length;
    expect(lines + dropped.reduce((sum, count) => sum + count, 0)).toBe(numberOf(after) + 1);
  });
});
