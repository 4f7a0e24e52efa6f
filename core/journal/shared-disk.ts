// S10 On a network disk neither locks nor syncs mean what they say, and a folder that a service keeps in sync is written by
//     others behind our back. Journals there are only read, unless somebody insists.

import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { AppError } from '../model/errors.ts';

/** File system types as Linux numbers them. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x65735546, 'FUSE'],
  [0x786f4256, 'a VirtualBox share'],
  [0xbacbacbc, 'a VMware share'],
]);

/** What a service leaves in the folders that it keeps in sync, and what it calls them. */
const SYNC_MARKS = ['.dropbox.cache', '.stfolder', '.sync', '.owncloudsync.log', '.nextcloudsync.log'];
const SYNCED_NAME =
  /^(dropbox|onedrive|google drive|googledrive|icloud drive|nextcloud|owncloud|mobile documents|cloudstorage|box sync)( |$| -)/i;

/** Why a directory is no place to write a journal in; null for an ordinary local one. */
export function whyShared(directory: string, platform: string = process.platform): string | null {
  const path = resolve(directory);
  if (platform === 'win32' && /^(\\\\|\/\/)/.test(directory)) return 'is on a network share';
  const existing = nearestExisting(path);
  if (platform === 'linux') {
    const kind = NETWORK.get(statfsSync(existing).type >>> 0);
    if (kind !== undefined) return `is on ${kind}`;
  }
  for (let at = existing; ; at = dirname(at)) {
    const name = at.slice(at.lastIndexOf(sep) + 1);
    if (SYNCED_NAME.test(name)) return `is inside ${at}, which a service keeps in sync`;
    const mark = SYNC_MARKS.find((file) => existsSync(join(at, file))) ?? dropboxMark(at);
    if (mark !== undefined) return `is inside ${at}, which a service keeps in sync (it has ${mark})`;
    if (dirname(at) === at) return null;
  }
}

/** A file in the root of what is kept in sync; a folder of that name, in the home directory, is only its settings. */
function dropboxMark(directory: string): string | undefined {
  const stats = statSync(join(directory, '.dropbox'), { throwIfNoEntry: false });
  return stats?.isFile() === true ? '.dropbox' : undefined;
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** @throws `journal.shared-disk` */
export function refuseSharedDisk(directory: string): void {
  const why = whyShared(directory);
  if (why === null) return;
  throw new AppError(
    'journal.shared-disk',
    `${directory} ${why}, where neither locks nor syncs can be relied on, so it is only looked at. Keep the journal on a local disk, or set HOLDFAST_ALLOW_SHARED_DISK=1 if you know that nothing else writes there.`,
    { directory, why },
  );
}
