import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';
import { findChromium, installLine } from '../find-chromium.ts';
import { Connection } from './cdp.ts';
import { chromiumFlags, profileFlags } from './flags.ts';
import { makeProfile, removeProfile } from './profile.ts';

export interface Chromium {
  readonly connection: Connection;
  /** Like `156.0.8078.108`. */
  readonly version: string;
  readonly headless: boolean;
  readonly pid: number;
  /** Asks the running Chromium for a window without tabs and address bar, which its protocol cannot. */
  openAppWindow(url: string): Promise<void>;
}

export interface ChromiumSettings {
  readonly port: number | undefined;
  readonly headless: boolean;
  /** Called once if Chromium ends without being told to. */
  onEnd(): void;
}

const LAST_LINES = 12;

/** Playwright waits for this one line; the rest of what Chromium says matters only when it fails to start. */
function followErrors(stream: Readable): () => string {
  const decoder = new StringDecoder('utf8');
  const last: string[] = [];
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith('DevTools listening on')) process.stderr.write(`${line}\n`);
      last.push(line);
    }
    last.splice(0, last.length - LAST_LINES);
  });
  return () => [...last, rest].join('\n').trim();
}

/** Kills Chromium with all that it started; on POSIX they are a process group of their own. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Kills it when this process is gone, however that came. A closed pipe ends a Chromium as well, but not one that is just
 * starting, ending or hanging: that would stay, and take a whole processor for ever.
 */
function killWithMain({ pid }: ChildProcess, profile: string): void {
  if (pid === undefined || process.platform === 'win32') return;
  // By its profile too: what was being started at that moment is in no group yet.
  const end = 'cat > /dev/null; kill -9 -"$1"; sleep 1; pkill -9 -f "user-data-dir=$STANDIN_PROFILE"';
  const watcher = spawn('/bin/sh', ['-c', end, 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    // Among its arguments it would name this watcher as well.
    env: { ...process.env, STANDIN_PROFILE: profile },
  });
  watcher.once('error', (error) => console.error('stand-in:', error));
  watcher.unref();
  (watcher.stdin as Socket).unref();
}

export async function startChromium(settings: ChromiumSettings): Promise<Chromium> {
  const path = findChromium();
  if (path === undefined) {
    throw new Error(
      `The stand-in for Electron needs a Chromium and found none. Install it (${installLine()}) or name one in STANDIN_CHROMIUM.`,
    );
  }
  const root = process.getuid?.() === 0;
  const profile = makeProfile();
  const child = spawn(path, chromiumFlags({ ...settings, profile, root }), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // Ctrl+C in a terminal is for the main process, which then ends Chromium in order.
    detached: process.platform !== 'win32',
  });
  killWithMain(child, profile);
  let over = false;
  process.on('exit', () => {
    over = true;
    kill(child);
    removeProfile(profile);
  });
  const said = followErrors(child.stdio[2] as Readable);
  const connection = new Connection(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`Chromium (${path}) ended at once with ${signal ?? code}. It said:\n${said()}`));
    });
  });
  const { product } = await Promise.race([connection.send('Browser.getVersion'), ended]).catch(
    // The pipe closes a moment before the exit is known, which says more.
    () => ended,
  );
  // Settled by the end of the process; whoever waited for the start has it by now.
  ended.catch(() => {
    if (!over) settings.onEnd();
  });
  return {
    connection,
    version: product.slice(product.indexOf('/') + 1),
    headless: settings.headless,
    pid: child.pid!,
    openAppWindow: (url) =>
      new Promise((resolve, reject) => {
        const messenger = spawn(path, [...profileFlags({ profile, root }), `--app=${url}`], {
          stdio: 'ignore',
        });
        messenger.once('error', reject);
        messenger.once('exit', (code) => {
          if (code === 0) resolve();
          else reject(new Error(`Chromium could not be asked for a window: it ended with ${code}.`));
        });
      }),
  };
}
