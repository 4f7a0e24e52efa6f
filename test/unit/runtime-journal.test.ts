// What the runtime asks of its journal: large results beside it, checkpoints inside long work, and holds where a journal may
// not be the one that counts.

import { cpSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import { InMemoryJournal } from '../../core/journal/index.ts';
import type { NewEntry } from '../../core/model/entry.ts';
import { RetryableError } from '../../core/model/errors.ts';
import type { JournalProvider } from '../../core/model/ports.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

const spills = ({ directory }: Bench): string => join(directory, 'journal/.holdfast/spills/agent');

/** The wait of the first run is performed; what was only announced would be taken back with its worker, and be the first again. */
const isWaiting = (of: Bench) => (): boolean => of.ledger().includes('waits');

/** One large result, then a wait that only a second run gets through. */
const LARGE = `
  const text = await ctx.effect('fetch', {}, async () => { note('fetch'); return 'x'.repeat(200_000); });
  note('got ' + (typeof text === 'string' ? text.length : JSON.stringify(text)));
  await ctx.effect('wait', { class: 'retry' }, async ({ attempt }) => { if (attempt === 1) { note('waits'); await delay(60_000); } });
`;

test('[S16, P2] a large result lies beside the journal, and a re-run gets it whole without asking again', async () => {
  const b = await bench(LARGE, { maxRestarts: 5 });
  await b.trigger();
  await b.until('the wait', isWaiting(b));
  expect(readdirSync(spills(b))).toHaveLength(1);
  await b.process.killWorker();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['fetch', 'got 200000', 'waits', 'got 200000']);
  const finished = (await b.entries()).find(({ entry_type }) => entry_type === 'effect_finished')!;
  expect(finished.data).toMatchObject({ end: 'done', spilled: { bytes: 200_002 } });
  expect(finished.sizeBytes).toBeLessThan(1_000);
});

test('[S16] a large result that is lost is asked for, and never fetched again', async () => {
  const b = await bench(LARGE, { maxRestarts: 5 });
  await b.trigger();
  await b.until('the wait', isWaiting(b));
  rmSync(spills(b), { recursive: true });
  await b.process.killWorker();
  await b.until('the question', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
  const [effect] = b.process.snapshot.open[0]!.effects;
  expect(effect).toMatchObject({
    effectClass: 'ask',
    end: { kind: 'in_doubt', error: 'it happened, and what it gave is lost' },
  });
  await expect(
    b.process.desk.resolveEffect(effect!.effectId, { kind: 'did_not_happen' }, OPERATOR),
  ).rejects.toMatchObject({ code: 'effect.happened' });
  await b.process.desk.resolveEffect(effect!.effectId, { kind: 'happened', result: 'as I saw it' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['fetch', 'got 200000', 'waits', 'got 11']);
  await b.quit();
  expect((await folded(b)).open).toEqual([]);
});

test('[S20] inside a long invocation checkpoints are written too, so that recovery reads a bounded tail', async () => {
  const b = await bench(
    `for (let n = 0; n < 60; n += 1)
       await ctx.effect('step', { class: 'retry', args: { n } }, async () => 'y'.repeat(30_000));
     note('done');
     await ctx.effect('wait', { class: 'retry' }, async () => delay(60_000));`,
  );
  await b.trigger();
  await b.until('the wait behind sixty steps', ({ snapshot }) => snapshot.open[0]?.effects.length === 61);
  const entries = await b.entries();
  const begun = entries.findIndex(({ entry_type }) => entry_type === 'invocation_start');
  const inside = entries.slice(begun).filter(({ entry_type }) => entry_type === 'checkpoint');
  expect(inside.length).toBeGreaterThan(0);
  let tail = 0;
  for await (const { items } of b.journal.readSinceCheckpoint('agent'))
    for (const { sizeBytes } of items) tail += sizeBytes;
  const all = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(tail).toBeLessThan(all);
  expect((await folded(b)).open[0]!.effects).toHaveLength(61);
});

test('[S10] a copied journal is held with its triggers off, says why, and goes on when an operator resumes it', async () => {
  const b = await bench(`note('ran');`, {
    triggers: [
      { type: 'cron', cronExpression: '* * * * * *', cronTimezone: 'UTC', missed: 'skip', filter: null },
    ],
  });
  await b.until('a run', ({ snapshot }) => snapshot.invocationCount > 0);
  await b.quit();
  const journal = join(b.directory, 'journal');
  cpSync(journal, `${journal}.copy`, { recursive: true });
  rmSync(journal, { recursive: true });
  renameSync(`${journal}.copy`, journal);
  const next = await b.again();
  const { lifecycle, holds } = next.process.snapshot;
  expect(lifecycle).toBe('suspended');
  expect(holds).toMatchObject([{ kind: 'gap', actor: 'holdfast' }]);
  expect(holds[0]!.reason).toContain('moved, copied or restored');
  expect(next.process.triggers.isOpen).toBe(false);
  const runs = next.process.snapshot.invocationCount;
  await next.process.resume(OPERATOR);
  await next.until('the next run', ({ snapshot }) => snapshot.invocationCount > runs);
});

test('[S36] a damaged journal leaves the process in trouble that says where, and stopping is done all the same', async () => {
  const b = await bench(`note('ran');`);
  await b.trigger();
  await b.until('a run', isIdle);
  await b.quit();
  const path = join(b.directory, 'journal/agent.jsonl');
  const lines = (await b.entries()).length;
  writeFileSync(path, '{"half\n', { flag: 'a' });
  rmSync(join(b.directory, 'journal/.holdfast/heads'), { recursive: true });
  const { hashLine, encodeLine } = await import('../../core/journal/codec.ts');
  const half = Buffer.from('{"half');
  const entry = {
    entry_id: 'x',
    process_id: 'agent',
    timestamp: '2026-01-05T09:00:00.000+00:00',
    entry_type: 'log',
    data: {},
  };
  const line = encodeLine(entry, { seq: lines + 2, ack: lines + 1, prev: hashLine(half) });
  writeFileSync(path, Buffer.concat([line, Buffer.from('\n')]), { flag: 'a' });
  const next = await b.again();
  expect(next.process.live.trouble).toMatchObject({ code: 'journal.damaged' });
  expect(next.process.live.trouble!.message).toContain(`line ${lines + 1} at byte`);
  await next.process.stop(OPERATOR);
  await expect(next.trigger()).rejects.toMatchObject({ code: 'journal.damaged' });
});

test('[P1, J7] behind an entry that the journal did not take nothing is recorded: what is missing would be missing for ever', async () => {
  const journal = new InMemoryJournal();
  let isFull = false;
  const refusing: JournalProvider = Object.assign(Object.create(journal) as JournalProvider, {
    append: async (entry: NewEntry) => {
      if (isFull) throw new RetryableError('journal.disk-full', 'full');
      return InMemoryJournal.prototype.append.call(journal, entry);
    },
  });
  const failures: unknown[] = [];
  const recorder = new Recorder(emptySnapshot(), {
    journal: refusing,
    process: 'agent',
    level: 'checkpoint',
    checkpointEvery: 'auto',
    clock: systemClock(),
    ids: { next: () => crypto.randomUUID() },
    onFailure: (error) => failures.push(error),
  });
  await recorder.record('context_update', { key: 'n', value: 1 });
  isFull = true;
  await expect(recorder.record('context_update', { key: 'n', value: 2 })).rejects.toThrow('full');
  isFull = false;
  await expect(recorder.record('invocation_result', { event_id: 'e' })).rejects.toThrow('full');
  await expect(recorder.checkpoint()).rejects.toThrow('full');
  expect(failures).toHaveLength(1);
  expect((await journal.read('agent')).map(({ entry_type }) => entry_type)).toEqual(['context_update']);
});
