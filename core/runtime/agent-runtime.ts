// Owns the processes of one workspace. On start it recovers every one of them before any accepts a trigger.

import { receiverSecrets } from '../governance/receiver-secrets.ts';
import { webhookPost } from '../governance/webhook-post.ts';
import { CapBook, type CapLedger } from '../governance/cap-book.ts';
import type { CapConfigs } from '../model/caps.ts';
import { AppError } from '../model/errors.ts';
import type { SecretStore } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { AgentProcess, type ProcessDependencies } from './agent-process.ts';
import type { SourcePlaces } from '../governance/secret-sources.ts';
import { SecretVault } from '../governance/secret-vault.ts';
import { eachLimited } from './each-limited.ts';
import { Family } from './family.ts';
import type { Actor } from './lifecycle-driver.ts';
import { noModelJudges } from './model-judges.ts';
import { scrubbedWorkers } from './scrubbed-workers.ts';
import { Switchboard } from './switchboard.ts';
import { TriggerSwitch } from './trigger-switch.ts';
import { WebhookServers } from '../triggers/webhook-servers.ts';
import { WorkerPermits } from './worker-permits.ts';
import { planFork, writeFork, type ForkOrder, type ForkPlan } from './write-fork.ts';

export interface RuntimeOptions extends Omit<
  ProcessDependencies,
  | 'permits'
  | 'deliver'
  | 'post'
  | 'onUntold'
  | 'servers'
  | 'needsPolling'
  | 'caps'
  | 'triggerSwitch'
  | 'vault'
  | 'places'
  | 'modelJudges'
  | 'family'
> {
  readonly definitions: readonly ProcessDefinition[];
  /** Workers at once, over all processes. */
  readonly maxWorkers?: number;
  /** Limits on all processes together; none unless given. */
  readonly caps?: CapConfigs;
  /** What other workspaces of the same user use of the cap on all; without it only this one counts. */
  readonly capLedger?: CapLedger | null;
  readonly needsPolling?: ProcessDependencies['needsPolling'];
  readonly post?: ProcessDependencies['post'];
  /** Without it missions that a model is to judge get no verdict. */
  readonly modelJudges?: ProcessDependencies['modelJudges'];
  readonly onUntold?: ProcessDependencies['onUntold'];
  /** What the host knows of secrets; of this runtime alone unless given. */
  readonly vault?: SecretVault;
  /** The keychain of this host, where it has one. */
  readonly secretStore?: SecretStore | null;
  /** Where variables are looked up; this program's unless given. */
  readonly environment?: SourcePlaces['environment'];
}

const DEFAULT_MAX_WORKERS = 16;
/** So many are recovered side by side: enough for the disk, and few enough that what they read is not all in memory at once. */
const AT_ONCE = 32;

export class AgentRuntime {
  readonly #processes = new Map<string, AgentProcess>();
  readonly #dependencies: ProcessDependencies;
  /** Variables that no worker gets; the same for all, since one could ask another. */
  readonly #withheld = new Set<string>();
  /** The names of forks that are being made. */
  readonly #forking = new Set<string>();

  /** Limits on all processes together. */
  readonly caps: CapBook;
  /** The processes that processes began. */
  readonly family: Family;
  readonly triggerSwitch = new TriggerSwitch(() => this.#processes.values());

  /** @throws `workspace.duplicate-name` when two definitions share a name */
  constructor({
    definitions,
    maxWorkers = DEFAULT_MAX_WORKERS,
    needsPolling = () => null,
    post = webhookPost(),
    onUntold = () => {},
    modelJudges = noModelJudges,
    caps = {},
    capLedger = null,
    vault = new SecretVault(),
    secretStore = null,
    environment = process.env,
    workerHost,
    ...rest
  }: RuntimeOptions) {
    this.caps = new CapBook({
      clock: rest.clock,
      configs: caps,
      ledger: capLedger,
      onRoom: () => {
        for (const process of this.#processes.values()) process.relieveCap();
      },
    });
    this.family = new Family({
      clock: rest.clock,
      processes: () => this.#processes,
      put: (definition) => this.#put(definition),
      drop: async (process) => {
        await process.quit();
        this.#processes.delete(process.name);
        this.caps.leave(process.name);
        rest.onChange(process.name);
      },
    });
    const switchboard = new Switchboard(() => this.#processes.values());
    this.#dependencies = {
      ...rest,
      onChange: (name) => {
        rest.onChange(name);
        this.family.changed(name);
      },
      family: this.family,
      caps: this.caps,
      triggerSwitch: () => this.triggerSwitch.standing,
      vault,
      places: { environment, store: secretStore },
      workerHost: scrubbedWorkers(workerHost, {
        scrub: vault,
        isWithheld: (name, value) => this.#withheld.has(name.toUpperCase()) || vault.knows(value),
      }),
      servers: new WebhookServers(),
      needsPolling,
      permits: new WorkerPermits(maxWorkers, () => {
        for (const process of this.#processes.values()) process.makeRoom();
      }),
      deliver: (sender, message) => switchboard.deliver(sender, message),
      post,
      onUntold,
      modelJudges,
    };
    for (const definition of definitions) this.#put(definition);
  }

  #put(definition: ProcessDefinition): AgentProcess {
    const { name } = definition;
    if (this.#processes.has(name)) {
      throw new AppError(
        'workspace.duplicate-name',
        `Two processes are called ${name}. Rename one of them.`,
        { process: name },
      );
    }
    const { vault, places } = this.#dependencies;
    for (const variable of definition.config.secrets.withheld) this.#withheld.add(variable.toUpperCase());
    for (const secret of receiverSecrets(definition.config, places.environment)) {
      vault.know(`the receivers of ${name}`, secret.name, secret.value);
    }
    const process = new AgentProcess(definition, this.#dependencies);
    this.#processes.set(name, process);
    return process;
  }

  /** Other caps from now on; what waits for room under them goes on if there is. */
  changeCaps(configs: CapConfigs): void {
    this.caps.configure(configs);
    for (const process of this.#processes.values()) process.capsChanged();
  }

  get processes(): ReadonlyMap<string, AgentProcess> {
    return this.#processes;
  }

  /** Resolves when every process is recovered and set going; one that can't be recovered is in trouble and stops nobody else. */
  async start(): Promise<void> {
    const processes = [...this.#processes.values()];
    await eachLimited(processes, AT_ONCE, (process) => process.recover());
    processes.push(...(await this.family.recover(processes)));
    // Only now is it known which of them heard of it last.
    this.triggerSwitch.takeUp();
    for (const process of processes) process.begin();
  }

  /**
   * What a fork would begin with; nothing is done.
   * @throws `process.not-found`, and what {@link planFork} does
   */
  async planFork(name: string, order: ForkOrder): Promise<ForkPlan> {
    await this.process(order.from).settled();
    return planFork(this.#dependencies, name, order);
  }

  /**
   * Begins a process from an entry of another one: suspended, with its triggers off. `keep` is called once its journal has
   * it, and before it is there.
   * @throws `process.not-found`, `fork.name-taken`, and what {@link planFork} does
   */
  async fork(
    definition: ProcessDefinition,
    order: ForkOrder,
    { actor, keep }: { readonly actor: Actor; readonly keep: () => void },
  ): Promise<ForkPlan> {
    const { name } = definition;
    if (this.#processes.has(name) || this.#forking.has(name)) {
      throw new AppError(
        'fork.name-taken',
        `There is a process ${name} already, so a fork can't have that name. Choose another.`,
        { name },
      );
    }
    this.#forking.add(name);
    try {
      await this.process(order.from).settled();
      const plan = await writeFork(this.#dependencies, definition, order, actor);
      keep();
      const process = this.#put(definition);
      await process.recover();
      process.begin();
      return plan;
    } finally {
      this.#forking.delete(name);
    }
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
    this.family.close();
    await Promise.all([...this.#processes.values()].map((process) => process.quit()));
  }
}
