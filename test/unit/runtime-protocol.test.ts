// What the exhaustive model of the protocol found, in the real runtime.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import type { EntryType } from '../../core/model/entry.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { Clock } from '../../core/model/ports.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';

type Line = readonly [EntryType, JsonObject];

/** A journal that ends where a crash came. */
async function left(lines: readonly Line[]): Promise<string> {
  const directory = tempDirectory();
  const journal = openFileJournal(join(directory, 'journal'));
  for (const [entry_type, data] of lines) await journal.append({ process_id: 'agent', entry_type, data });
  await journal.close();
  return directory;
}

const moved = (from: string, to: string): Line => [
  'state_transition',
  { from_state: from, to_state: to, reason: 'test', actor: 'host' },
];
const RUNNING: readonly Line[] = [moved('created', 'starting'), moved('starting', 'running')];
const EVENT: Line = [
  'trigger_event',
  { event_id: 'e', trigger_id: 't', trigger_type: 'manual', payload: null },
];

describe('a crash between two entries that belong together', () => {
  test('[P4] [S34] a process whose last hold was lifted goes on, and with it what was accepted', async () => {
    const hold = { hold: 'idle', reason: 'no event', actor: 'host' };
    const directory = await left([
      ...RUNNING,
      ['hold_placed', hold],
      moved('running', 'suspended'),
      EVENT,
      ['hold_lifted', hold],
    ]);
    const of = await bench(`note('handled');`, {}, directory);
    await of.until('the event to be handled', isIdle);
    expect(of.ledger()).toEqual(['handled']);
  });

  test('[P4] [S28] a doubt that is decided holds nothing any more', async () => {
    const hold = { hold: 'in_doubt', reason: 'in doubt: pay #1', actor: 'host' };
    const effect = {
      event_id: 'e',
      effect_id: 'e/pay#0',
      name: 'pay',
      occurrence: 0,
      class: 'ask',
      args_hash: '',
      key: 'k',
      attempt: 1,
    };
    const directory = await left([
      ...RUNNING,
      EVENT,
      ['invocation_start', { event_id: 'e', invocation: 1, attempt: 1, seed: '0'.repeat(32) }],
      ['effect_started', effect],
      ['hold_placed', hold],
      moved('running', 'suspended'),
      [
        'effect_resolved',
        { effect_id: 'e/pay#0', resolution: 'did_not_happen', again: true, operator: 'x', reason: '' },
      ],
    ]);
    const of = await bench(
      `await ctx.effect('other', { class: 'retry' }, async () => null).catch(() => {});`,
      {},
      directory,
    );
    expect(of.process.snapshot.holds).toEqual([]);
    expect(of.process.snapshot.lifecycle).not.toBe('suspended');
  });
});

/** This machine's, on which time goes by at once where it is told to. */
function leapingClock(): Clock & { readonly leap: (ms: number) => void } {
  const real = systemClock();
  let leapt = 0;
  return {
    now: () => real.now() + leapt,
    monotonic: () => real.monotonic() + leapt,
    after: (ms, callback) => real.after(ms, callback),
    leap: (ms) => {
      leapt += ms;
    },
  };
}

describe('the age of a key', () => {
  test('[P2] [S31] code that repeats by itself does not use a key that the provider may have forgotten', async () => {
    const of = await bench(
      `await ctx.effect('pay', { class: 'idempotent', keyTtlMs: 200, retry: { attempts: 3, backoffMs: 500 } }, async () => { note('paid'); throw new Error('no answer'); });`,
    );
    await of.trigger();
    await of.until('an operator to be asked', (process) =>
      process.snapshot.holds.some(({ kind }) => kind === 'in_doubt'),
    );
    expect(of.ledger()).toEqual(['paid']);
    expect(of.process.snapshot.open[0]?.effects[0]).toMatchObject({ effectClass: 'ask' });
    await of.process.desk.resolveEffect(
      of.process.snapshot.open[0]!.effects[0]!.effectId,
      { kind: 'happened', result: 1 },
      OPERATOR,
    );
    await of.until('the event to end', isIdle);
    expect(of.process.snapshot.invocationCount).toBe(1);
  });

  test('[P2] [S31] a repetition that did not happen does not make the key younger', async () => {
    const clock = leapingClock();
    const of = await bench(
      `await ctx.effect('pay', { class: 'idempotent', keyTtlMs: 60_000, retry: { attempts: 2, backoffMs: 10 } }, async ({ attempt }) => { note('call ' + attempt); if (attempt === 1) throw new Error('no answer'); throw new DidNotHappen('refused'); });`,
      {
        heartbeatIntervalMs: 50,
        delivery: { maxRetries: 1, retryBackoffMs: 50_000, retryBackoffMaxMs: 50_000, deadLetterSize: 10 },
      },
      undefined,
      { clock },
    );
    await of.trigger();
    await of.until(
      'the next attempt to be waited for',
      ({ snapshot }) => (snapshot.open[0]?.retryAt ?? null) !== null,
    );
    expect(of.ledger()).toEqual(['call 1', 'call 2']);
    clock.leap(60_000);
    await of.until('an operator to be asked', (process) =>
      process.snapshot.holds.some(({ kind }) => kind === 'in_doubt'),
    );
    expect(of.ledger()).toEqual(['call 1', 'call 2']);
  });

  test('[P2] [S30] whoever it was done with is asked only when the last call is over too', async () => {
    const of = await bench(
      `await ctx.effect('pay', { class: 'reconcile', timeoutMs: 4_000, reconcile: async ({ attempt }) => { note('asked ' + attempt); return attempt === 1 ? { happened: false } : { happened: true, result: 1 }; } }, async ({ attempt }) => { note('called ' + attempt); if (attempt === 1) throw new Error('no answer'); await delay(60_000); return 1; });`,
    );
    await of.trigger();
    await of.until('the second call', () => of.ledger().includes('called 2'));
    await of.process.killWorker();
    await of.until('the second question', () => of.ledger().includes('asked 2'));
    const askedAt = Date.now();
    const calls = (await of.entries()).filter(({ entry_type }) => entry_type === 'effect_started');
    expect(calls).toHaveLength(2);
    expect(askedAt - Date.parse(calls[1]!.timestamp)).toBeGreaterThanOrEqual(4_000);
  });
});
