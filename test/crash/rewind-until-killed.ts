// A host that rewinds its process and is killed by itself in the middle of the nth write to its journal from then on, half of
// which is done:
//
//   node rewind-until-killed.ts <journal directory> <target> <n>
//
// Says `done` where it came to the end of it.

import { writeSync } from 'node:fs';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { live, OPERATOR } from './rewind-life.ts';

const [directory, target, nth] = process.argv.slice(2) as [string, string, string];
let left = Infinity;

const lines = new Set<number>();

const disk: Disk = {
  ...LOCAL_DISK,
  open: (path, flags) => {
    const fd = LOCAL_DISK.open(path, flags);
    if (/\.(jsonl|checkpoint\.json(\..*)?)$/.test(path)) lines.add(fd);
    return fd;
  },
  close: (fd) => {
    lines.delete(fd);
    LOCAL_DISK.close(fd);
  },
  write: (fd, bytes, offset, length, position) => {
    if (lines.has(fd)) left -= 1;
    if (left > 0) return LOCAL_DISK.write(fd, bytes, offset, length, position);
    LOCAL_DISK.write(fd, bytes, offset, length >> 1, position);
    process.kill(process.pid, 'SIGKILL');
    throw new Error('it is still there');
  },
};

await using life = await live(openFileJournal(directory, { disk }));
await life.process.settled();
left = Number(nth);
await life.process.rewinds.apply({ to: Number(target), isHandledAgain: true }, null, OPERATOR);
left = Infinity;
writeSync(1, 'done\n');
