// A disk that is really full, and a writer that is killed on it: while nothing goes any more, and after somebody made room.

import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startNode } from '../support/child.ts';
import { tinyDisk } from '../support/tiny-disk.ts';
import { waitFor } from '../support/wait-for.ts';
import { APPEND, heard, judgeLeft, nothingSaid } from './kill-rounds.ts';
import type { Problem } from './judge.ts';

const DISK_BYTES = 3 * 1024 * 1024;
const ROUNDS = 4;
const ROOM_BYTES = 256 * 1024;

test('[P1, J7] killed on a full disk, and after there is room: what was acknowledged is there, in one chain', async (context) => {
  const disk = tinyDisk(DISK_BYTES);
  if (typeof disk === 'string') context.skip(disk);
  const { directory: root } = disk as Exclude<typeof disk, string>;
  const filler = join(root, 'in-the-way');
  writeFileSync(filler, Buffer.alloc(DISK_BYTES - 2 * ROOM_BYTES));
  const makeRoom = (): void => truncateSync(filler, statSync(filler).size - ROOM_BYTES);

  const directory = join(root, 'journal');
  const options = JSON.stringify({ segmentBytes: 64 * 1024 });
  const said = nothingSaid();
  const problems: Problem[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = startNode(APPEND, [directory, options]);
    let acknowledged = 0;
    try {
      const isGone = (): boolean => child.process.exitCode !== null;
      await waitFor(() => child.stdout().includes('full\n') || isGone(), { what: 'a full disk' });
      if (round % 2 === 1) {
        makeRoom();
        const before = child.stdout().lastIndexOf('full\n');
        const goesOn = (): boolean => child.stdout().slice(before).split('\n').length > 20;
        await waitFor(() => goesOn() || isGone(), { what: 'entries after there was room' });
      }
    } finally {
      child.process.kill('SIGKILL');
    }
    const { stdout, stderr, signal } = await child.ended;
    expect({ stderr, signal }).toEqual({ stderr: '', signal: 'SIGKILL' });
    acknowledged += heard(stdout, said, problems);
    problems.push(...(await judgeLeft(directory, said)));
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(0);
    // Room to begin with: whoever can't even take the lock says so and changes nothing.
    makeRoom();
  }
});
