// Entries that say that a process was moved, as what to go back to: where it was moved to counts, whatever came between them
// and the checkpoint of that.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { definitionOf, handleEvents, live, NAME, OPERATOR, type Life } from '../crash/rewind-life.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const AGAIN = { isHandledAgain: true };
const SET = { count: 40 };

interface Lived {
  readonly directory: string;
  readonly ends: readonly number[];
}

async function threeEvents(): Promise<Lived> {
  const directory = join(tempDirectory(), 'journal');
  const journal = openFileJournal(directory);
  const ends = await handleEvents(journal, 3);
  await journal.close();
  return { directory, ends };
}

const entriesOf = (directory: string, name: string): Promise<readonly StoredEntry[]> =>
  readFileJournal(directory).read(name);

/** What going back to each of them would give, but for which of them that is. */
function plans(process: AgentProcess, seqs: readonly number[]): Promise<readonly unknown[]> {
  return Promise.all(
    seqs.map(async (to) => {
      const { target: _, ...plan } = await process.rewinds.plan({ to, ...AGAIN });
      return plan;
    }),
  );
}

test('[P3] [S39] the entry of a rewind stands for where that led, as its checkpoint does; for a fork too', async () => {
  const { directory, ends } = await threeEvents();
  await using life = await live(openFileJournal(directory));
  const { process, runtime } = life;
  await process.rewinds.apply({ to: ends[0]!, ...AGAIN }, 2, OPERATOR);
  await process.settled();
  const rewind = (await entriesOf(directory, NAME)).find(({ entry_type: type }) => type === 'rewind')!.seq;
  const [there, behind] = await plans(process, [rewind, rewind + 1]);
  expect(there).toEqual(behind);
  expect(there).toMatchObject({ context: [], undone: [{ isCutShort: true }, { isCutShort: true }] });
  const fork = await runtime.planFork('copy', { from: NAME, at: rewind, set: {} });
  expect(fork).toMatchObject({ contextKeys: 1, unfinished: [{ effects: 1 }, { effects: 1 }] });
});

test('[P3] [S39] so do the entries between the two that a crash and a new host left', async () => {
  const { directory, ends } = await threeEvents();
  const journal = openFileJournal(directory);
  const data = { target_seq: ends[0]!, handled_again: true, actor: OPERATOR.name, reason: '' };
  const { seq } = await journal.append({ process_id: NAME, entry_type: 'rewind', data });
  await journal.close();
  await using life = await live(openFileJournal(directory));
  const { process } = life;
  await process.settled();
  const entries = await entriesOf(directory, NAME);
  const moved = entries.find((entry) => entry.seq > seq && entry.entry_type === 'checkpoint')!.seq;
  expect(moved).toBeGreaterThan(seq + 1);
  const [last, ...others] = (await plans(process, [moved, ...upTo(seq, moved - 1)])).toReversed();
  expect(last).toMatchObject({ context: [], undone: [{}, {}] });
  for (const other of others) expect(other).toEqual(last);
});

const upTo = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

async function fork({ runtime }: Life, from: string, name: string, at: number): Promise<AgentProcess> {
  await runtime.fork(definitionOf(name), { from, at, set: SET }, { actor: OPERATOR, keep: () => {} });
  return runtime.process(name);
}

test('[S40] a fork goes back to its beginning and no further: before that it was not there', async () => {
  const { directory, ends } = await threeEvents();
  await using life = await live(openFileJournal(directory));
  const copy = await fork(life, NAME, 'copy', ends[1]!);
  await copy.settled();
  const forked = (await entriesOf(directory, 'copy')).find(({ entry_type: type }) => type === 'forked')!.seq;
  expect(forked).toBeGreaterThan(1);
  const refused = {
    code: 'rewind.no-entry',
    message: `At entry 1, copy had not begun: it was forked from ${NAME} with entry ${forked}. Choose that one or a later one.`,
  };
  const { seq } = copy.snapshot;
  await expect(copy.rewinds.plan({ to: 1, ...AGAIN })).rejects.toMatchObject(refused);
  await expect(copy.rewinds.apply({ to: 1, ...AGAIN }, null, OPERATOR)).rejects.toMatchObject(refused);
  const third = life.runtime.planFork('third', { from: 'copy', at: 1, set: {} });
  await expect(third).rejects.toMatchObject(refused);
  expect(copy.snapshot).toMatchObject({ seq, context: SET });
  await copy.rewinds.apply({ to: forked, ...AGAIN }, 0, OPERATOR);
  expect(copy.snapshot).toMatchObject({ context: SET, lineage: { process: NAME, seq: ends[1] } });
  expect((await fork(life, 'copy', 'third', forked)).snapshot.context).toEqual(SET);
});

test('[S40] what a fork took over under way is handled again behind a rewind to its beginning, with its record', async () => {
  const directory = join(tempDirectory(), 'journal');
  const journal = openFileJournal(directory);
  await handleEvents(journal, 1);
  const say = (entry_type: string, data: StoredEntry['data']) =>
    journal.append({ process_id: NAME, entry_type, data });
  const event_id = 'event-2';
  await say('trigger_event', { event_id, trigger_id: 'manual', trigger_type: 'manual', payload: 2 });
  await say('invocation_start', { event_id, invocation: 2, attempt: 1, code_hash: 'code', seed: 'seed' });
  const effect_id = `${event_id}/book#0`;
  const asked = { name: 'book', occurrence: 0, class: 'ask', args_hash: 'h', args_preview: '{}', attempt: 1 };
  await say('effect_started', { event_id, effect_id, ...asked, key: effect_id });
  await say('effect_finished', { event_id, effect_id, end: 'done', result: null });
  const { seq: at } = await say('context_update', { key: 'count', value: 2, event_id, ordinal: 0 });
  await journal.close();
  await using life = await live(openFileJournal(directory));
  const copy = await fork(life, NAME, 'copy', at);
  await copy.settled();
  const [, begun] = await entriesOf(directory, 'copy');
  expect(begun!.entry_type).toBe('forked');
  await copy.rewinds.apply({ to: begun!.seq, ...AGAIN }, 1, OPERATOR);
  expect(copy.snapshot.open).toMatchObject([
    { event: { eventId: event_id }, attempt: 3, effects: [{ end: { kind: 'done' }, isUndone: true }] },
  ]);
});
