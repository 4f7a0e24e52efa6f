// PostgreSQL for as long as a benchmark runs: a cluster of its own in a temporary directory, with a port and a password of
// its own, as it is shipped. A cluster that is there already is neither used nor touched.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../../core/model/errors.ts';
import { say } from '../rounds.ts';
import { freePorts, LOOPBACK, ownEnvironment, startServer } from './server.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

export interface Postgres extends AsyncDisposable {
  /** Of a database that is not there yet, with the right to make it. */
  url(database: string): string;
}

/** @throws Error when there is none and none can be installed, or when it does not start */
export async function startPostgres(): Promise<Postgres> {
  const programs = findPrograms() ?? (await install());
  const owner = isRoot ? await postgresUser() : undefined;
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const clear = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  const remove = (): void => {
    clear();
    process.off('exit', clear);
  };
  process.once('exit', clear);
  try {
    const password = randomBytes(16).toString('hex');
    const passwordFile = join(directory, 'password');
    const data = join(directory, 'data');
    writeFileSync(passwordFile, password, { mode: 0o600 });
    // It refuses to run as root.
    if (owner !== undefined) {
      for (const path of [directory, passwordFile]) chownSync(path, owner.uid, owner.gid);
    }
    const init = ['-D', data, '-U', 'bench', '-A', 'scram-sha-256', '--pwfile', passwordFile];
    await run(join(programs, 'initdb'), [...init, '-E', 'UTF8', '--locale=C', '--no-instructions'], {
      cwd: directory,
      env: ownEnvironment(),
      ...owner,
    });
    const [port] = await freePorts(1);
    const settings = [`listen_addresses=${LOOPBACK}`, `port=${port}`, 'unix_socket_directories=', 'fsync=on'];
    const server = await startServer({
      command: join(programs, 'postgres'),
      args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      owner,
      isReady: (said) => said.includes('ready to accept connections'),
      stopSignal: 'SIGINT',
    });
    return {
      url: (database) => `postgresql://bench:${password}@${LOOPBACK}:${port}/${database}`,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Where Debian keeps what is not on the path, one directory for each version. */
const DEBIAN = '/usr/lib/postgresql';

/** The directory that has them; null for none. */
export function findPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number).filter(Number.isFinite) : [];
  const places = [
    ...versions.toSorted((a, b) => b - a).map((version) => join(DEBIAN, String(version), 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return (
    places.find((place) => ['initdb', 'postgres'].every((name) => existsSync(join(place, name)))) ?? null
  );
}

/** Only where that needs nobody's password and changes nothing but packages. */
async function install(): Promise<string> {
  if (!isRoot || process.platform !== 'linux') {
    throw new Error('PostgreSQL is not installed. On Debian and Ubuntu: apt-get install postgresql');
  }
  say('installing PostgreSQL (once)');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'], { env });
  } catch (error) {
    throw new Error(`PostgreSQL is not installed, and apt-get could not do it: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const programs = findPrograms();
  if (programs === null)
    throw new Error(`apt-get installed PostgreSQL, but nothing of it is under ${DEBIAN}.`);
  return programs;
}

async function postgresUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (option) => Number((await run('id', [option, 'postgres'])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}
