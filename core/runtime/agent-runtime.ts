// Owns the processes of one workspace. On start it recovers every one of them before any accepts a trigger.

import { receiverSecrets } from '../governance/receiver-secrets.ts';
import { webhookPost } from '../governance/webhook-post.ts';
import { CapBook, type CapLedger } from '../governance/cap-book.ts';
import type { CapConfigs } from '../model/caps.ts';
import { AppError } from '../model/errors.ts';
import type { SecretStore } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { AgentProcess } from './agent-process.ts';
import type { ProcessDependencies } from './process-dependencies.ts';
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
  /** The names of processes that are loaded anew, added or removed right now. */
  readonly #loading = new Set<string>();

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
        for (const process of this.#processes.values()) process.room.relieveCap();
      },
    });
    this.family = new Family({
      clock: rest.clock,
      processes: () => this.#processes,
      put: (definition) => this.#put(definition),
      drop: async (process) => {
        await process.quit();
        this.#drop(process.name);
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
        for (const process of this.#processes.values()) process.runner.makeRoom();
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
    this.#refuseTaken(name);
    const process = this.#made(definition);
    this.#processes.set(name, process);
    return process;
  }

  #refuseTaken(name: string): void {
    if (!this.#processes.has(name)) return;
    throw new AppError('workspace.duplicate-name', `Two processes are called ${name}. Rename one of them.`, {
      process: name,
    });
  }

  #made(definition: ProcessDefinition): AgentProcess {
    const { name, config } = definition;
    const { vault, places } = this.#dependencies;
    for (const variable of config.secrets.withheld) this.#withheld.add(variable.toUpperCase());
    for (const secret of receiverSecrets(config, places.environment)) {
      vault.know(`the receivers of ${name}`, secret.name, secret.value);
    }
    return new AgentProcess(definition, this.#dependencies);
  }

  /** Other caps from now on; what waits for room under them goes on if there is. */
  changeCaps(configs: CapConfigs): void {
    this.caps.configure(configs);
    for (const process of this.#processes.values()) process.room.capsChanged();
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
    if (this.#processes.has(name) || this.#forking.has(name) || this.#loading.has(name)) {
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

  /**
   * Gives a process another definition: it is brought to rest, and begins again from its journal as after a restart of the
   * host, while all others go on. Whatever is wrong with its journal then is its trouble, which it tells.
   * @throws `process.not-found`, `process.loading`, `journal.required` where it would forget what it has begun
   */
  reload(definition: ProcessDefinition, actor: Actor): Promise<void> {
    const { name } = definition;
    return this.#whileLoading(name, async () => {
      const before = this.process(name);
      refuseForgetting(before, definition);
      await before.rest({ ...actor, reason: `to be loaded anew: ${actor.reason}` });
      await this.family.letGo(before);
      await before.quit(reloading(name));
      const process = this.#made(definition);
      process.goOnFrom(before);
      // Until it is recovered, those who speak to it are told to come again.
      await process.recover();
      this.#processes.set(name, process);
      process.begin('it was loaded anew');
      await this.#beginFamilyOf(process);
    });
  }

  /**
   * Adds a process, which goes on with its journal where there is one. `before` is called when that is known and nothing
   * moves yet.
   * @throws `workspace.duplicate-name`, `process.loading`, what `before` throws
   */
  add(definition: ProcessDefinition, before: (process: AgentProcess) => Promise<void>): Promise<void> {
    const { name } = definition;
    return this.#whileLoading(name, async () => {
      this.#refuseTaken(name);
      const process = this.#made(definition);
      await process.recover();
      try {
        await before(process);
      } catch (error) {
        await process.quit();
        this.caps.leave(name);
        throw error;
      }
      this.#processes.set(name, process);
      process.begin();
      await this.#beginFamilyOf(process);
    });
  }

  /** Stops a process and lets go of it; its journal stays. @throws `process.not-found`, `process.loading` */
  remove(name: string, actor: Actor, after: () => Promise<void>): Promise<void> {
    return this.#whileLoading(name, async () => {
      const process = this.process(name);
      await process.stop(actor);
      await this.family.letGo(process);
      await after();
      await process.quit(removed(name));
      this.#drop(name);
    });
  }

  /** What it began, as its journal tells. */
  async #beginFamilyOf(process: AgentProcess): Promise<void> {
    for (const child of await this.family.recover([process])) child.begin();
  }

  #drop(name: string): void {
    this.#processes.delete(name);
    this.caps.leave(name);
    this.#dependencies.onChange(name);
  }

  async #whileLoading(name: string, act: () => Promise<void>): Promise<void> {
    if (this.#loading.has(name) || this.#forking.has(name)) throw reloading(name);
    this.#loading.add(name);
    try {
      await act();
    } finally {
      this.#loading.delete(name);
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
    for (const process of this.#processes.values()) if (process.waits.knows(promiseId)) return process;
    throw new AppError(
      'promise.not-found',
      `Nothing here waits for a promise ${promiseId} (any more): its invocation has ended, or there never was one. Look at what waits, or into its journal.`,
      { promiseId },
    );
  }

  /** Holds what is running until the next start, and lets go of every worker. */
  async quit(): Promise<void> {
    this.family.close();
    await Promise.all([...this.#processes.values()].map((process) => process.quit()));
  }
}

function reloading(name: string): AppError {
  return new AppError(
    'process.loading',
    `${name} is being loaded from its manifest. Ask again in a moment.`,
    {
      process: name,
    },
  );
}

function removed(name: string): AppError {
  return new AppError('process.not-found', `${name} was removed: its manifest is gone.`, { process: name });
}

/** What is in no journal does not come back from one. */
function refuseForgetting({ name, definition, snapshot }: AgentProcess, next: ProcessDefinition): void {
  const keepsNone = [definition, next].some(({ config }) => config.journalLevel === 'none');
  const unfinished = snapshot.open.length + snapshot.queue.length;
  if (!keepsNone || unfinished === 0) return;
  throw new AppError(
    'journal.required',
    `${name} has ${unfinished} unfinished, which no journal would bring back, so it is not loaded anew now. Wait until that is done, or stop it first.`,
    { process: name, unfinished },
  );
}
