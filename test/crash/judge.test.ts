// The judge on trial: a journal on a disk that cheats loses entries and must be caught at it, and so must one that is not as
// it was.

import { describe, expect, test } from 'vitest';
import type { Disk } from '../../core/journal/disk.ts';
import { budget } from './budget.ts';
import { kills, powerCuts } from './crash-states.ts';
import { tryAll } from './explore.ts';
import type { Problem } from './judge.ts';
import { recordRun } from './record-run.ts';
import type { RecordingDisk } from './recording-disk.ts';
import { scratch } from './scratch.ts';
import { tryState } from './try-state.ts';
import { single } from './workloads.ts';

describe('a journal on a disk that cheats is found out:', () => {
  const cheats: readonly [string, (disk: RecordingDisk) => Partial<Disk>][] = [
    ['no sync does anything', () => ({ sync: async () => {}, syncNow: () => {} })],
    ['no sync of a directory does anything', () => ({ syncDirectory: async () => {} })],
    [
      'a sync says that it is through before it is',
      (disk) => ({ sync: async (fd) => void disk.sync(fd).catch(() => {}) }),
    ],
    ['a sync that failed says that it did not', (disk) => ({ sync: (fd) => disk.failSync(fd) })],
  ];

  test.each(cheats)('%s', { timeout: 60_000 }, async (_name, cheat) => {
    using explorer = budget({ ms: 20_000, leastStates: 1 });
    const { root, tally } = explorer;
    const trial = await recordRun(root, single, {
      disk: (recording) => cheating(recording, cheat(recording)),
    });
    const isLost = (): boolean => tally.problems['acknowledged entry lost'] > 0;
    const goesOn = (): boolean => !isLost() && explorer.goesOn();
    await tryAll({ root, tally, goesOn }, 'cheated', trial, powerCuts(trial.recording, { perPoint: 3 }));
    expect(isLost()).toBe(true);
  });
});

describe('a journal that is not as it was is found out:', () => {
  const lineOf = (bytes: Buffer, entryId: string): readonly [start: number, end: number] => {
    const at = bytes.indexOf(`"${entryId}"`);
    return [bytes.lastIndexOf(10, at) + 1, bytes.indexOf(10, at) + 1];
  };
  const without = (bytes: Buffer, [start, end]: readonly [number, number]): Buffer =>
    Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  const tampered: readonly [string, Problem['kind'], (bytes: Buffer) => Buffer][] = [
    ['its last line is gone', 'acknowledged entry lost', (bytes) => without(bytes, lineOf(bytes, 'entry-9'))],
    [
      'a line is gone from its middle',
      'acknowledged entry lost',
      (bytes) => without(bytes, lineOf(bytes, 'entry-3')),
    ],
    [
      'a byte of an acknowledged line is another one',
      'false damage report',
      (bytes) => Buffer.from(bytes.toString('latin1').replace('"value":7', '"value":8'), 'latin1'),
    ],
  ];

  test.each(tampered)('%s', { timeout: 60_000 }, async (_name, kind, tamper) => {
    using place = scratch();
    const trial = await recordRun(place.directory, single);
    const [end] = kills(trial.recording, {
      isChosen: (point) => point === trial.recording.operations.length,
    });
    const untouched = await tryState(place.directory, end!, trial);
    expect(untouched.problems).toEqual([]);
    const path = 'journal/one.jsonl';
    const tree = new Map(end!.tree).set(path, tamper(end!.tree.get(path)!));
    // Nothing that remembers how far it went.
    tree.delete('journal/.holdfast/heads/one.head');
    const { problems } = await tryState(place.directory, { ...end!, tree }, trial);
    expect(problems.map((problem) => problem.kind)).toContain(kind);
  });
});

/** The disk with some of it replaced. */
function cheating(disk: RecordingDisk, cheat: Partial<Disk>): Disk {
  return {
    open: (path, flags) => disk.open(path, flags),
    close: (fd) => disk.close(fd),
    write: (...all) => disk.write(...all),
    truncate: (...all) => disk.truncate(...all),
    sync: (fd) => disk.sync(fd),
    syncNow: (fd) => disk.syncNow(fd),
    syncDirectory: (path) => disk.syncDirectory(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    makeDirectory: (path) => disk.makeDirectory(path),
    ...cheat,
  };
}
