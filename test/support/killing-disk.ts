import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';

/**
 * An entry of the journal, when it is written or when it is durable; or so long after the how-manieth announcement of an
 * effect that goes through this disk.
 */
export type KillPlace =
  | { readonly seq: number; readonly when: 'written' | 'durable' }
  | { readonly effect: number; readonly delayMs: number };

/** The local disk, which knows what lines go through it, and strikes once, at a place. */
export function killingDisk(at: KillPlace, strike: () => void): Disk {
  const mark = 'seq' in at ? `"seq":${at.seq},"ack":` : '"entry_type":"effect_started"';
  let seen = 0;
  let isWritten = false;
  let isOver = false;
  const strikeOnce = (): void => {
    if (isOver) return;
    isOver = true;
    strike();
  };
  const afterSync = (): void => {
    if (isWritten && 'seq' in at) strikeOnce();
  };
  return {
    ...LOCAL_DISK,
    write: (fd, bytes, offset, length, position) => {
      const written = LOCAL_DISK.write(fd, bytes, offset, length, position);
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + offset, written).toString('latin1');
      const count = text.split(mark).length - 1;
      const before = seen;
      seen += count;
      if ('seq' in at) {
        if (count > 0) isWritten = true;
        if (isWritten && at.when === 'written') strikeOnce();
      } else if (before < at.effect && seen >= at.effect) setTimeout(strikeOnce, at.delayMs);
      return written;
    },
    sync: async (fd) => {
      await LOCAL_DISK.sync(fd);
      afterSync();
    },
    syncNow: (fd) => {
      LOCAL_DISK.syncNow(fd);
      afterSync();
    },
  };
}
