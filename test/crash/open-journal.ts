import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { FileJournal, openFileJournal, type Durability, type Retention } from '../../core/journal/index.ts';
import type { HostIdentity } from '../../core/journal/host-identity.ts';
import { claimDirectory, mayWriteIn } from '../../core/journal/marker.ts';
import { nameIfCopied } from '../../core/journal/whereabouts.ts';

export interface OpenOptions {
  readonly disk: Disk;
  readonly durability?: Durability;
  readonly segmentBytes?: number;
  readonly retention?: Retention;
  /** Where the user's data folder keeps what it knows of journals. */
  readonly knownJournals?: string;
}

const IDENTITY: HostIdentity = {
  hostId: 'host-of-the-test',
  pid: 1,
  startTime: '1',
  bootId: 'boot',
  machine: 'machine',
  build: '0',
};
const NOW = Date.UTC(2026, 0, 5, 9);

let lives = 0;

/** The local disk, where nobody cuts the power: what syncing changes is worked out from records. */
export const UNSYNCED: Disk = {
  ...LOCAL_DISK,
  sync: async () => {},
  syncNow: () => {},
  syncDirectory: async () => {},
};

/** Ids and times that are the same each time, and the same writer over all lives. */
function signed(options: OpenOptions) {
  let count = 0;
  const life = (lives += 1);
  const sources = { now: () => NOW, nextId: () => `life-${life}-${(count += 1)}` };
  return { ...options, identity: IDENTITY, sources };
}

/** Opens as a host does. */
export function openJournal(directory: string, options: OpenOptions): FileJournal {
  return openFileJournal(directory, signed(options));
}

/**
 * The same without the kernel's lock, which a crash takes away whatever happens: for thousands of states that nobody else
 * can open.
 */
export function openUnlocked(directory: string, options: OpenOptions): FileJournal {
  const { disk, knownJournals = null } = options;
  mayWriteIn(directory);
  mkdirSync(directory, { recursive: true });
  disk.makeDirectory(`${directory}/.holdfast`);
  const { marker } = nameIfCopied(disk, directory, claimDirectory(disk, directory, null), knownJournals);
  let epoch = 1;
  const lock = {
    get epoch() {
      return epoch;
    },
    raiseAbove: (other: number) => (epoch = Math.max(epoch, other + 1)),
    check: () => {},
    [Symbol.dispose]: () => {},
  };
  const foundations = [directory, dirname(directory)];
  return new FileJournal(directory, marker, { ...signed(options), lock, foundations });
}
