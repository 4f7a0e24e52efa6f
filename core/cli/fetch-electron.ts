import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Electron's npm package brings no binary: its own installer downloads it. Here that is run with a limit on how long
// nothing may arrive, rather than on how long it takes.

const FIRST_BYTE_WITHIN_MS = 6_000;
const NEXT_BYTE_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 200;
const REMEMBERED_MS = 24 * 60 * 60_000;

export interface ElectronPlaces {
  /** `node_modules/electron`. */
  readonly package: string;
  /** Where we may keep things of our own. */
  readonly cache: string;
}

/** The path of Electron's executable, or null when it is not there. */
export function electronBinary({ package: directory }: ElectronPlaces): string | null {
  const pathFile = join(directory, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const binary = join(directory, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : null;
}

/** Whether a download failed within the last day, so that it is not worth another wait. */
export function failedLately({ cache }: ElectronPlaces, nowMs: number): boolean {
  const at = statSync(memory(cache), { throwIfNoEntry: false })?.mtimeMs;
  return at !== undefined && nowMs - at < REMEMBERED_MS;
}

export interface FetchOptions {
  readonly places: ElectronPlaces;
  /** Called with every child that is started, so that it can be ended with us. */
  readonly started: (child: ChildProcess) => void;
  /** Megabytes that have arrived. */
  readonly progress: (megabytes: number) => void;
  readonly firstByteWithinMs?: number;
}

/**
 * Downloads Electron. Null: it is there now. Otherwise the reason in a few words, which is remembered for a day.
 */
export async function fetchElectron(options: FetchOptions): Promise<string | null> {
  const { places, started, progress } = options;
  const scratch = join(places.cache, 'electron-download');
  mkdirSync(scratch, { recursive: true });
  const child = spawn(process.execPath, [join(places.package, 'install.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // The installer downloads into the system's temporary directory: one of its own shows what arrives.
    env: { ...process.env, TMPDIR: scratch, TEMP: scratch, TMP: scratch },
  });
  started(child);
  let complaint = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString('utf8')).slice(0, 10_000);
  });

  const reason = await new Promise<string | null>((resolve) => {
    let arrived = 0;
    let lastChange = performance.now();
    const look = setInterval(() => {
      const now = sizeOf(scratch) + sizeOf(join(places.package, 'dist'));
      if (now !== arrived) {
        arrived = now;
        lastChange = performance.now();
        progress(Math.round(now / 1_000_000));
      }
      const patience =
        arrived === 0 ? (options.firstByteWithinMs ?? FIRST_BYTE_WITHIN_MS) : NEXT_BYTE_WITHIN_MS;
      if (performance.now() - lastChange < patience) return;
      clearInterval(look);
      child.kill('SIGKILL');
      resolve('nothing arrived');
    }, LOOK_EVERY_MS);
    child.once('error', (error) => {
      clearInterval(look);
      resolve(error.message);
    });
    child.once('close', (code, signal) => {
      clearInterval(look);
      resolve(code === 0 ? null : signal === null ? causeOf(complaint) : `ended by ${signal}`);
    });
  });
  rmSync(scratch, { recursive: true, force: true });

  if (reason === null && electronBinary(places) !== null) {
    rmSync(memory(places.cache), { force: true });
    return null;
  }
  writeFileSync(memory(places.cache), `${reason ?? 'no binary'}\n`);
  return reason ?? 'the installer left no binary';
}

function memory(cache: string): string {
  return join(cache, 'electron-unreachable');
}

/** What went wrong in a word or two, out of a stack trace: the system's own code where there is one. */
function causeOf(complaint: string): string {
  const code = /\bE[A-Z_]{4,}\b/.exec(complaint)?.[0];
  if (code !== undefined) return code;
  const [first = ''] = complaint.trim().split('\n');
  if (first.includes('fetch failed')) return 'no connection';
  return first === '' ? 'no reason given' : first.slice(0, 100);
}

/** Bytes in a directory and below; one that comes or goes meanwhile counts as it is found. */
function sizeOf(directory: string): number {
  let total = 0;
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      total += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    }
  } catch {
    return total;
  }
  return total;
}
