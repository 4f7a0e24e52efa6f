// Runs a workload on a directory of its own and keeps the record of it.

import { join } from 'node:path';
import { writeAll, type Disk } from '../../core/journal/disk.ts';
import { waitFor } from '../support/wait-for.ts';
import { cachedTree } from './crash-states.ts';
import { Ledger } from './ledger.ts';
import { RecordingDisk } from './recording-disk.ts';
import { Session } from './session.ts';
import { compareTrees, readTree, writeTree } from './trees.ts';
import { JOURNAL, openOptions, type Settings, type Trial } from './try-state.ts';
import type { Workload, World } from './workloads.ts';

export interface RunOptions extends Settings {
  /** What the nth life sees of the recording disk, from 1. */
  readonly disk?: (recording: RecordingDisk, life: number) => Disk;
}

export interface Run extends Trial {
  /** All that the journal threw. */
  readonly errors: readonly unknown[];
}

/** @throws where something was changed on the disk without going through the port */
export async function recordRun(root: string, workload: Workload, options: RunOptions = {}): Promise<Run> {
  writeTree(root, new Map());
  const recording = new RecordingDisk(root);
  const ledger = new Ledger();
  const sessions: Session[] = [];
  const errors: unknown[] = [];
  const closeAll = async (): Promise<void> => {
    for (const session of sessions) await session.close().catch(() => {}); // dead or failing, it lets go
  };
  try {
    await workload(
      async () => {
        // Of a life that was cut short, the kernel's lock is free.
        await closeAll();
        const session = new Session({
          ...openOptions(root, options),
          ledger,
          disk: options.disk?.(recording, sessions.length + 1) ?? recording,
          onRefused: (error) => errors.push(error),
          onAcknowledged: ({ process, entryId }) => recording.acknowledged(process, entryId),
        });
        sessions.push(session);
        return session;
      },
      worldOf(root, recording),
    );
    const differences = compareTrees(cachedTree(recording), readTree(root));
    if (differences.length > 0) throw new Error(`Changed behind the port: ${differences.join('; ')}`);
    // What the last life still does on its way out is not on record: it died.
    const { disk: _disk, ...settings } = options;
    return { ...settings, recording: frozen(recording), ledger: ledger.asOfNow(), errors };
  } finally {
    await closeAll();
  }
}

function worldOf(root: string, recording: RecordingDisk): World {
  const { operations } = recording;
  return {
    synced: async () => {
      const from = operations.length;
      const isSynced = (): boolean => operations.slice(from).some(({ kind }) => kind === 'sync');
      await waitFor(isSynced, { what: 'the next sync' });
    },
    tear: (process) => {
      const fd = recording.open(join(root, JOURNAL, `${process}.jsonl`), 'a');
      writeAll(recording, fd, Buffer.from('{"entry_id":"half'));
      recording.syncNow(fd);
      recording.close(fd);
    },
  };
}

function frozen({ before, fileIds, inodes, operations }: RecordingDisk): Trial['recording'] {
  return { before, fileIds, inodes: new Map(inodes), operations: [...operations] };
}
