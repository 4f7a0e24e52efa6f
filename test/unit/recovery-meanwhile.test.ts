// What comes in while a process is rebuilt: it is in the journal, and so it is in what is live.

import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { handleEvents, live, NAME, OPERATOR } from '../crash/rewind-life.ts';
import { tempDirectory } from '../support/temp-directory.ts';

test('[P3] [S36] what is recorded while a process is force-recovered, as by a judge who is told to go, is part of it', async () => {
  const directory = join(tempDirectory(), 'journal');
  const journal = openFileJournal(directory);
  await handleEvents(journal, 2);
  await using life = await live(journal);
  const { process } = life;
  const read = journal.readSinceCheckpoint.bind(journal);
  vi.spyOn(journal, 'readSinceCheckpoint').mockImplementationOnce(async function* late(name) {
    yield* read(name);
    await process.record('context_update', { key: 'late', value: 1, source: 'system' });
  });
  await process.forceRecover(OPERATOR);
  await process.settled();
  expect(process.snapshot.context).toMatchObject({ late: 1 });
  const { snapshot } = await new ReplayEngine(readFileJournal(directory)).recover(NAME);
  expect({ ...snapshot }).toEqual({ ...process.snapshot });
});
