// A rewind that is cut short anywhere: whoever takes the process over finds it as it was, or where it was to go, and nothing
// in between.

import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { startNode } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { budget } from './budget.ts';
import { distinct, kills, powerCuts, type CrashState } from './crash-states.ts';
import { sayState } from './explore.ts';
import { Ledger } from './ledger.ts';
import { openJournal, openUnlocked, UNSYNCED } from './open-journal.ts';
import type { Recording } from './operations.ts';
import { RecordingDisk } from './recording-disk.ts';
import { handleEvents, live, moved, NAME, OPERATOR, type Life } from './rewind-life.ts';
import { restore } from './scratch.ts';
import { JOURNAL } from './try-state.ts';

const EVENTS = 3;
const REWIND = fileURLToPath(new URL('./rewind-until-killed.ts', import.meta.url));

type Moved = ReturnType<typeof moved>;

interface Recorded {
  readonly recording: Recording;
  /** From this operation on it was said to be done. */
  readonly doneAt: number;
  readonly before: Moved;
  readonly after: Moved;
}

/** To the end of the first event, with the others to be handled again. */
async function recordRewind(root: string): Promise<Recorded> {
  const directory = join(root, JOURNAL);
  const journal = openJournal(directory, { disk: UNSYNCED });
  const [first] = await handleEvents(journal, EVENTS);
  await journal.close();
  const recording = new RecordingDisk(root);
  await using life = await live(openJournal(directory, { disk: recording }));
  const { process } = life;
  const before = moved(process.snapshot);
  await process.rewinds.apply({ to: first!, isHandledAgain: true }, EVENTS - 1, OPERATOR);
  const kept = frozen(recording);
  return { recording: kept, doneAt: kept.operations.length, before, after: moved(process.snapshot) };
}

/** Whatever is done from now on is not on it. */
function frozen({ before, fileIds, inodes, operations }: RecordingDisk): Recording {
  return { before, fileIds, inodes: new Map(inodes), operations: [...operations] };
}

interface TakenOver {
  readonly isRewound: boolean;
  readonly found: Moved;
}

async function asTakenOver(directory: string, { process }: Life): Promise<TakenOver> {
  if (process.live.trouble !== null) throw process.live.trouble;
  await process.settled();
  const types = (await readFileJournal(directory).read(NAME)).map(({ entry_type }) => entry_type);
  return { isRewound: types.includes('rewind'), found: moved(process.snapshot) };
}

/** Twice: what is there must not depend on how often that was begun. */
async function takenOver(directory: string): Promise<TakenOver> {
  const open = (): FileJournal => openUnlocked(directory, { disk: UNSYNCED });
  {
    await using first = await live(open());
    await asTakenOver(directory, first);
  }
  await using second = await live(open());
  return asTakenOver(directory, second);
}

/** The entry is there, and nothing behind it. */
async function isUnfinished(directory: string): Promise<boolean> {
  if (!existsSync(directory)) return false;
  return (await readFileJournal(directory).read(NAME)).at(-1)?.entry_type === 'rewind';
}

test(
  '[C12] [P1] [P3] [S39] killed or without power at any operation of a rewind, a process is where it was or where it was to go',
  { timeout: 300_000 },
  async () => {
    using explorer = budget({ ms: 12_000, leastStates: 60 });
    const { root, tally, goesOn } = explorer;
    const { recording, doneAt, before, after } = await recordRewind(join(root, 'first'));
    expect(after).toMatchObject({ context: { count: 1 }, open: [{ attempt: 2 }, { attempt: 2 }] });
    const second = join(root, 'second');
    const directory = join(second, JOURNAL);
    const seen = { rewound: 0, before: 0, unfinished: 0 };
    let unfinished: CrashState | null = null;
    const tryAll = async (
      of: Recording,
      states: Iterable<CrashState>,
      mustBe: (state: CrashState) => boolean,
    ) => {
      for (const state of distinct(of, states)) {
        if (!goesOn()) return;
        tally.states += 1;
        const where = sayState(state, { recording: of, ledger: new Ledger() });
        restore(second, state, of);
        if (await isUnfinished(directory)) {
          seen.unfinished += 1;
          unfinished ??= state;
        }
        const { isRewound, found } = await takenOver(directory);
        expect(found, where).toEqual(isRewound ? after : before);
        expect(isRewound || !mustBe(state), where).toBe(true);
        seen[isRewound ? 'rewound' : 'before'] += 1;
      }
    };
    const isDone = ({ point }: CrashState): boolean => point >= doneAt;
    await tryAll(recording, kills(recording, { perPoint: 8 }), isDone);
    await tryAll(recording, powerCuts(recording, { perPoint: 4, randomPerPoint: 2 }), isDone);

    // And what makes it good is cut short itself.
    restore(second, unfinished!, recording);
    const making = new RecordingDisk(second);
    {
      await using life = await live(openUnlocked(directory, { disk: making }));
      await asTakenOver(directory, life);
    }
    const made: Recording = frozen(making);
    await tryAll(made, kills(made, { perPoint: 4 }), () => true);
    expect(seen.rewound).toBeGreaterThan(0);
    expect(seen.before).toBeGreaterThan(0);
    expect(seen.unfinished).toBeGreaterThan(1);
  },
);

test(
  '[P1] [S39] a host that is killed in the middle of any write of a rewind leaves what the next one makes good',
  { timeout: 300_000 },
  async () => {
    const first = join(tempDirectory(), 'journal');
    const journal = openFileJournal(first);
    const [target] = await handleEvents(journal, EVENTS);
    await journal.close();
    const found: Moved[] = [];
    let isDone = false;
    for (let nth = 1; !isDone; nth += 1) {
      const directory = join(tempDirectory(), 'journal');
      cpSync(first, directory, { recursive: true });
      const host = startNode(REWIND, [directory, String(target), String(nth)]);
      const { stdout, stderr, signal } = await host.ended;
      expect(stderr).toBe('');
      isDone = stdout === 'done\n';
      expect(signal).toBe(isDone ? null : 'SIGKILL');
      await using life = await live(openFileJournal(directory));
      await life.process.settled();
      const types = (await readFileJournal(directory).read(NAME)).map(({ entry_type }) => entry_type);
      expect(life.process.live.trouble).toBeNull();
      const count = types.includes('rewind') ? 1 : EVENTS;
      expect(life.process.snapshot).toMatchObject({ context: { count }, rewinding: null });
      expect(life.process.snapshot.open).toHaveLength(EVENTS - count);
      found.push(moved(life.process.snapshot));
    }
    expect(found.length).toBeGreaterThan(2);
    expect(found.at(-1)!.context).toEqual({ count: 1 });
  },
);
