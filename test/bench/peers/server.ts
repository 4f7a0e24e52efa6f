// A server that a peer needs, for as long as a benchmark runs: on the loopback, in a directory of its own, gone at the end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside what {@link ownEnvironment} leaves. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whose process it is to be, where it may not be ours. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  readonly isReady: (said: string) => boolean | Promise<boolean>;
  /** Asks it to end. */
  readonly stopSignal: NodeJS.Signals;
}

const PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
const KEPT_CHARACTERS = 4_000;

/**
 * Resolves when it is ready.
 * @throws Error with the end of what it said, when it ends before or never is
 */
export async function startServer(options: ServerOptions): Promise<AsyncDisposable> {
  const { command, args, env, owner, isReady, stopSignal } = options;
  const child = spawn(command, args, {
    env: { ...ownEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...owner,
  });
  const exit = once(child, 'exit').then(
    () => {},
    () => {},
  );
  let said = '';
  const keep = (text: string): void => {
    said = (said + text).slice(-KEPT_CHARACTERS);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  child.once('error', (error) => keep(error.message));
  const kill = (): void => void child.kill('SIGKILL');
  // Before anybody takes its files away.
  process.prependOnceListener('exit', kill);
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill(stopSignal);
      const patience = new AbortController();
      await Promise.race([
        exit,
        delay(STOP_PATIENCE_MS, undefined, { signal: patience.signal }).then(kill, () => {}),
      ]);
      patience.abort();
      await exit;
    }
    process.off('exit', kill);
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isReady(said))) {
    const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    if (isGone || performance.now() > deadline) {
      await stop();
      throw new Error(`${isGone ? 'it ended' : 'it was not ready in time'}: ${said.trim().slice(-500)}`);
    }
    await delay(20);
  }
  return { [Symbol.asyncDispose]: stop };
}

/** Ours without the settings of peers that whoever runs this may have: nothing of theirs is used or touched. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DBOS|RESTATE_|PG)/.test(name)),
  );
}

/** Ports of the loopback that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await once(server.listen(0, LOOPBACK), 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export const LOOPBACK = '127.0.0.1';
