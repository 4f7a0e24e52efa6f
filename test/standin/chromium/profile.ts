import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'holdfast-standin-';
const RETRY = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The profiles of those who could not clean up: their name says who made them. */
function abandoned(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => {
      const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
      return pid !== undefined && !isAlive(Number(pid));
    })
    .map((name) => join(folder, name));
}

/** A fresh Chromium profile; those of dead main processes go in the background. */
export function makeProfile(folder = tmpdir()): string {
  const profile = mkdtempSync(join(folder, `${PREFIX}${process.pid}-`));
  for (const path of abandoned(folder)) {
    rm(path, RETRY).catch((error: unknown) => console.error('stand-in:', error));
  }
  return profile;
}

export function removeProfile(profile: string): void {
  try {
    rmSync(profile, RETRY);
  } catch (error) {
    // Chromium's last writes may still land in it; the next start removes it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}
