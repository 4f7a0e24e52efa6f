// P8 where ours goes back: the real Promptise recovers the state that a rewind led to, and a fork's; and a rewind entry of its
// own, which moves nothing for it, moves nothing for us.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { definitionOf, handleEvents, live, NAME, OPERATOR } from '../crash/rewind-life.ts';
import { fourOf, type Four } from '../support/promptise-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { askPromptise, needPromptise } from './ask-promptise.ts';

/** Importing it takes seconds. */
const SLOW = { timeout: 120_000 };

beforeEach(needPromptise);

async function theirs(directory: string, ...names: readonly string[]): Promise<readonly Four[]> {
  const answers = await askPromptise(
    'recover.py',
    names.map((name) => [directory, name] as const),
  );
  return answers.map(fourOf);
}

async function ours(directory: string, name: string): Promise<Four> {
  return fourOf((await new ReplayEngine(readFileJournal(directory)).recover(name)) as unknown as JsonObject);
}

test(
  '[P8] [S39] [S40] Promptise recovers where a process was taken back to, and what a fork began with',
  SLOW,
  async () => {
    const directory = join(tempDirectory(), 'journal');
    const journal = openFileJournal(directory);
    const [first, second] = await handleEvents(journal, 3);
    await journal.close();
    {
      await using life = await live(openFileJournal(directory));
      await life.process.rewinds.apply({ to: first!, isHandledAgain: true }, 2, OPERATOR);
      const order = { from: NAME, at: second!, set: { more: 'yes' } };
      await life.runtime.fork(definitionOf('copy'), order, { actor: OPERATOR, keep: () => {} });
    }
    const [rewound, forked] = await theirs(directory, NAME, 'copy');
    expect(rewound).toMatchObject({ context_state: { count: 1 }, lifecycle_state: 'suspended' });
    expect(forked).toMatchObject({ context_state: { count: 2, more: 'yes' }, lifecycle_state: 'suspended' });
    expect(rewound).toEqual(await ours(directory, NAME));
    expect(forked).toEqual(await ours(directory, 'copy'));
  },
);

test('[P8] a rewind entry of Promptise’s moves nothing, for it and for us', SLOW, async () => {
  const directory = join(tempDirectory(), 'journal');
  mkdirSync(directory);
  const entries: readonly [string, JsonObject][] = [
    ['context_update', { key: 'count', value: 1 }],
    ['context_update', { key: 'count', value: 2 }],
    ['rewind', { target_entry_id: 'entry-0', mode: 'both', actor: 'system', entries_affected: 2 }],
    ['context_update', { key: 'last', value: 'yes' }],
  ];
  const lines = entries.map(([entry_type, data], at) =>
    JSON.stringify({
      entry_id: `entry-${at}`,
      process_id: 'one',
      timestamp: `2026-01-05T09:00:0${at}+00:00`,
      entry_type,
      data,
    }),
  );
  writeFileSync(join(directory, 'one.jsonl'), `${lines.join('\n')}\n`);
  const [read] = await theirs(directory, 'one');
  expect(read).toMatchObject({ context_state: { count: 2, last: 'yes' }, entries_replayed: 4 });
  expect(await ours(directory, 'one')).toEqual(read);
  const { snapshot } = await new ReplayEngine(readFileJournal(directory)).recover('one');
  expect(snapshot.rewinding).toBeNull();
});
