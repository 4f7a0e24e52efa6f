// The entries of an agent's life, as the runtime writes them: trigger, invocation, effects, context, log, result. The
// median line has about 330 bytes; one in a hundred has 4 KiB.

import { snapshotToState } from '../../core/model/checkpoint.ts';
import { applyEntry, FOLD_VERSION } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { JournalProvider } from '../../core/model/ports.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';

export const AGENT = 'agent';

/** What {@link life} gives, for the reader of a result. */
export const MIX =
  'per trigger: trigger_event, invocation_start, 2 effect_started, 2 effect_finished, 2 context_update, log, invocation_result; a full checkpoint every 100 entries';

export type Draft = readonly [entry_type: string, data: JsonObject];

/** Keys that an agent writes again and again: its state has a size and keeps it. */
const KEYS = 24;
const LONG_RESULT = 'A page of the catalogue that the agent asked for. '.repeat(80);

/** One trigger after the other, without end. */
export function* life(): Generator<Draft, never> {
  for (let invocation = 1; ; invocation += 1) {
    const event_id = crypto.randomUUID();
    yield [
      'trigger_event',
      {
        event_id,
        trigger_id: 'every-minute',
        trigger_type: 'cron',
        payload: { scheduled: '2026-01-05T09:00:00.000+00:00' },
      },
    ];
    yield [
      'invocation_start',
      { event_id, invocation, attempt: 1, code_hash: 'f3c1a5d07b9e4f62a8d0c4b1e7f92a35' },
    ];
    for (const [occurrence, name] of ['fetch-prices', 'place-order'].entries()) {
      const effect_id = `${event_id}/${name}#0`;
      yield [
        'effect_started',
        {
          event_id,
          effect_id,
          name,
          occurrence: 0,
          class: occurrence === 0 ? 'retry' : 'idempotent',
          args_hash: '5d41402abc4b2a76b9719d911017c592',
          args_preview: '{"article":"A-1093"}',
          key: effect_id,
          attempt: 1,
        },
      ];
      const isLong = occurrence === 0 && invocation % 10 === 0;
      yield [
        'effect_finished',
        {
          effect_id,
          end: 'done',
          result: isLong ? LONG_RESULT : { price: 12.5 + (invocation % 100) / 4, currency: 'EUR', stock: 17 },
        },
      ];
    }
    for (const ordinal of [0, 1]) {
      const key = `price-of-article-${(2 * invocation + ordinal) % KEYS}`;
      yield [
        'context_update',
        { key, value: { price: 12.5 + (invocation % 100) / 4, seen: invocation }, event_id, ordinal },
      ];
    }
    yield [
      'log',
      {
        level: 'info',
        text: `The price of two articles was looked up and compared with that of the day before; invocation ${invocation} found nothing to do.`,
      },
    ];
    yield ['invocation_result', { event_id, invocation, duration_ms: 12, response: 'Nothing to do.' }];
  }
}

const CHECKPOINT_EVERY = 100;
/** What follows the last checkpoint: as much as ever does. */
export const AFTER_CHECKPOINT = CHECKPOINT_EVERY - 1;

/** Writes a journal of `lines` lines, a multiple of 100, and gives the state that its fold has to give back. */
export async function writeLife(journal: JournalProvider, lines: number): Promise<ProcessSnapshot> {
  const drafts = life();
  let state = emptySnapshot();
  await journal.claim(AGENT);
  for (const entry of await journal.read(AGENT)) state = applyEntry(state, entry);
  while (state.seq < lines) {
    const wave: Draft[] = [];
    const end = state.seq - (state.seq % CHECKPOINT_EVERY) + CHECKPOINT_EVERY;
    for (let seq = state.seq; seq < end; seq += 1) wave.push(drafts.next().value);
    const stored = await Promise.all(
      wave.map(([entry_type, data]) => journal.append({ process_id: AGENT, entry_type, data })),
    );
    for (const entry of stored) state = applyEntry(state, entry);
    if (state.seq >= lines) break;
    state = applyEntry(state, await journal.checkpoint(AGENT, snapshotToState(state, FOLD_VERSION)));
  }
  return state;
}
