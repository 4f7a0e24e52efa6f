import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { record } from '../record.ts';
import { nodePath } from '../start/node-path.ts';
import { app } from './app.ts';
import { preventable } from './event.ts';

const BOOT = fileURLToPath(new URL('../utility/boot.ts', import.meta.url));

type Output = 'pipe' | 'ignore' | 'inherit';

function outputs(stdio: Electron.ForkOptions['stdio'] = 'inherit'): [Output, Output] {
  if (typeof stdio === 'string') return [stdio as Output, stdio as Output];
  const [, out = 'inherit', err = 'inherit'] = stdio;
  return [out, err];
}

type Kept = 'kill' | 'pid' | 'postMessage' | 'stderr' | 'stdout';

class UtilityProcess extends EventEmitter implements Pick<Electron.UtilityProcess, Kept> {
  readonly #child: ChildProcess;
  #pid: number | undefined;

  constructor(child: ChildProcess, serviceName: string) {
    super();
    this.#child = child;
    child.once('spawn', () => {
      this.#pid = child.pid;
      this.emit('spawn');
    });
    child.on('message', (message) => this.emit('message', message));
    child.once('error', (error) => this.emit('error', 'FatalError', error.message, ''));
    child.once('exit', (code, signal) => {
      this.#pid = undefined;
      const exitCode = code ?? 128;
      this.emit('exit', exitCode);
      if (exitCode === 0) return;
      const reason = signal === null ? 'abnormal-exit' : 'killed';
      const details = {
        type: 'Utility',
        reason,
        exitCode,
        serviceName: 'node.mojom.NodeService',
        name: serviceName,
      };
      app.emit('child-process-gone', preventable({}), details);
    });
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  get stdout(): Readable | null {
    return this.#child.stdout;
  }

  get stderr(): Readable | null {
    return this.#child.stderr;
  }

  postMessage(message: unknown, transfer: readonly unknown[] = []): void {
    if (transfer.length > 0)
      throw new Error('The stand-in for Electron passes no message ports to a utility process.');
    // Sending to one that has just ended is no error in Electron either.
    if (this.#child.connected) this.#child.send(message as object, () => undefined);
  }

  /** SIGTERM, as in Electron; the harder way is `process.kill(pid, 'SIGKILL')`. */
  kill(): boolean {
    return this.#child.kill();
  }
}

export const utilityProcess = {
  fork(modulePath: string, args: readonly string[] = [], options: Electron.ForkOptions = {}): UtilityProcess {
    if (!app.isReady()) throw new Error('utilityProcess cannot be created before app is ready.');
    const serviceName = options.serviceName ?? 'Node Utility Process';
    const [out, err] = outputs(options.stdio);
    const child = spawn(nodePath, [...(options.execArgv ?? []), BOOT, modulePath, ...args], {
      cwd: options.cwd,
      env: { ...(options.env ?? process.env), STANDIN_EXECUTABLE: process.execPath },
      // The last is never written to: its end tells the child that this process has gone.
      stdio: ['ignore', out, err, 'ipc', 'pipe'],
      serialization: 'advanced',
    });
    record('utility-process', { serviceName });
    return new UtilityProcess(child, serviceName);
  },
};
