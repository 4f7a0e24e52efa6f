// Which faults a run can meet: every kind at every operation of its kind, as a run without any counted them.

import { FAILING, FaultyDisk, type Failing, type Fault } from './faulty-disk.ts';
import { recordRun, type RunOptions } from './record-run.ts';
import type { Workload } from './workloads.ts';

type Way = Omit<Fault, 'on' | 'nth'>;

const CLEAN: Way = { code: 'EIO', done: 'nothing' };
const COMMITTED: Way = { code: 'EIO', done: 'all' };
const FULL: Way = { code: 'ENOSPC', done: 'nothing' };

const WAYS: Readonly<Record<Failing, readonly Way[]>> = {
  open: [CLEAN, FULL],
  write: [
    CLEAN,
    COMMITTED,
    { code: 'EIO', done: 'part' },
    FULL,
    { code: 'ENOSPC', done: 'part' },
    { code: 'ENOSPC', done: 'part', times: 3 },
  ],
  truncate: [CLEAN, COMMITTED],
  sync: [CLEAN, { code: 'EIO', done: 'nothing', times: 2 }, FULL],
  'sync-directory': [CLEAN],
  rename: [CLEAN, COMMITTED],
  remove: [CLEAN, COMMITTED],
  'make-directory': [CLEAN, FULL],
};

/** Every single fault that the workload can meet. */
export async function everyFault(root: string, workload: Workload, options: RunOptions): Promise<Fault[]> {
  let disk: FaultyDisk | null = null;
  await recordRun(root, workload, {
    ...options,
    disk: (recording) => (disk ??= new FaultyDisk(recording, null)),
  });
  const counts = disk!.counts;
  return FAILING.flatMap((on) =>
    Array.from({ length: counts.get(on) ?? 0 }, (_, at) =>
      WAYS[on].map((way) => ({ on, nth: at + 1, ...way })),
    ).flat(),
  );
}
