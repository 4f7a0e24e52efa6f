// Owns the processes of one workspace. On start it recovers every one of them before any accepts a trigger.

import { AppError } from '../model/errors.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { eachLimited } from './each-limited.ts';
import { AgentProcess, type ProcessDependencies } from './agent-process.ts';
import { Switchboard } from './switchboard.ts';
import { WorkerPermits } from './worker-permits.ts';

export interface RuntimeOptions extends Omit<ProcessDependencies, 'permits' | 'deliver'> {
  readonly definitions: readonly ProcessDefinition[];
  /** Workers at once, over all processes. */
  readonly maxWorkers?: number;
}

const DEFAULT_MAX_WORKERS = 16;
const AT_ONCE = 32;

export class AgentRuntime {
  readonly #processes: ReadonlyMap<string, AgentProcess>;

  /** @throws `workspace.duplicate-name` when two definitions share a name */
  constructor({ definitions, maxWorkers = DEFAULT_MAX_WORKERS, ...rest }: RuntimeOptions) {
    const switchboard = new Switchboard(() => this.#processes.values());
    const dependencies: ProcessDependencies = {
      ...rest,
      permits: new WorkerPermits(maxWorkers, () => {
        for (const process of this.#processes.values()) process.makeRoom();
      }),
      deliver: (sender, message) => switchboard.deliver(sender, message),
    };
    const processes = new Map<string, AgentProcess>();
    for (const definition of definitions) {
      if (processes.has(definition.name)) {
        throw new AppError(
          'workspace.duplicate-name',
          `Two processes are called ${definition.name}. Rename one of them.`,
          { process: definition.name },
        );
      }
      processes.set(definition.name, new AgentProcess(definition, dependencies));
    }
    this.#processes = processes;
  }

  get processes(): ReadonlyMap<string, AgentProcess> {
    return this.#processes;
  }

  /** Resolves when every process is recovered and set going; one that can't be recovered is in trouble and stops nobody else. */
  async start(): Promise<void> {
    const processes = [...this.#processes.values()];
    await eachLimited(processes, AT_ONCE, (process) => process.recover());
    for (const process of processes) process.begin();
  }

  /** @throws `process.not-found` */
  process(name: string): AgentProcess {
    const found = this.#processes.get(name);
    if (found !== undefined) return found;
    const known = [...this.#processes.keys()].join(', ');
    throw new AppError(
      'process.not-found',
      `There is no process ${JSON.stringify(name)} here. There are: ${known || 'none'}.`,
      { process: name },
    );
  }

  /**
   * Whose durable promise this is.
   * @throws `promise.not-found`
   */
  processOfPromise(promiseId: string): AgentProcess {
    for (const process of this.#processes.values()) if (process.knowsPromise(promiseId)) return process;
    throw new AppError(
      'promise.not-found',
      `Nothing here waits for a promise ${promiseId} (any more): its invocation has ended, or there never was one.`,
      { promiseId },
    );
  }

  /** Holds what is running until the next start, and lets go of every worker. */
  async quit(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.quit()));
  }
}
