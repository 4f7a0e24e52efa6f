// The packages that benchmarks compare with, installed beside the project's own when the first benchmark asks for them.
// The version that the lock names is in the directory's name, so that a change installs anew.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { leaveOut, say } from '../rounds.ts';

const HERE = import.meta.dirname;
const LOCK = 'package-lock.json';
const lockHash = createHash('sha256')
  .update(readFileSync(join(HERE, LOCK)))
  .digest('hex');
const directory = join(HERE, '../../../node_modules/.cache/holdfast', `bench-peers-${lockHash.slice(0, 12)}`);
/** Where packages of theirs are found from; a process of its own makes its `require` of it. */
export const peerManifest = join(directory, 'package.json');
/** Written last, so that its absence means the install did not finish. */
const completionMark = join(directory, 'installed');

/** `HOLDFAST_BENCH_PEERS=none` leaves out everybody who would have to be installed. */
export const withoutPeers = process.env['HOLDFAST_BENCH_PEERS'] === 'none';

/** Gives what loads a package of theirs, or null, having said why `who` is left out, when they can't be installed. */
export async function peerPackages(who: string): Promise<NodeJS.Require | null> {
  if (withoutPeers) {
    leaveOut(`${who} is left out: HOLDFAST_BENCH_PEERS is none.`);
    return null;
  }
  if (!existsSync(completionMark)) {
    say('installing what is compared with (once)');
    mkdirSync(directory, { recursive: true });
    for (const file of ['package.json', LOCK]) copyFileSync(join(HERE, file), join(directory, file));
    const failure = await npmCi();
    if (failure !== null) {
      leaveOut(`${who} is left out: npm could not install it: ${failure}`);
      return null;
    }
    writeFileSync(completionMark, '');
  }
  return createRequire(peerManifest);
}

/** Null, or why it failed. Nothing of them needs its install script: the addon comes prebuilt. */
function npmCi(): Promise<string | null> {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  const isScript = npm !== undefined && /\.[cm]?js$/.test(npm);
  const [command, all] = isScript ? [process.execPath, [npm, ...args]] : ['npm', args];
  return new Promise((resolve) => {
    execFile(
      command,
      all,
      { cwd: directory, shell: !isScript && process.platform === 'win32' },
      (error, _stdout, stderr) => {
        resolve(error === null ? null : firstLines(stderr.trim() || error.message));
      },
    );
  });
}

function firstLines(text: string): string {
  return text.split('\n').slice(0, 4).join('\n');
}
