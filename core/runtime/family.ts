// The processes that processes began [P1]: a parent's journal says which there are and what they are made of, so that they are
// begun again from journals alone. They share its budget, and follow it: held and stopped with it, and going on with it.

import { overFamily, spentToday, type FamilyMember, type Relative } from '../governance/family-budget.ts';
import { asAppError, type AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { plus } from '../model/meters.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { SpawnedProcess } from '../model/self-change.ts';
import type { AgentProcess } from './agent-process.ts';
import { childDefinition } from './child-definition.ts';
import { FamilyFollowing } from './family-following.ts';
import { host, type Actor } from './lifecycle-driver.ts';

export interface FamilyOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly processes: () => ReadonlyMap<string, AgentProcess>;
  /** Makes a process that is not recovered yet. @throws `workspace.duplicate-name` */
  readonly put: (definition: ProcessDefinition) => AgentProcess;
  readonly drop: (process: AgentProcess) => Promise<void>;
}

export class Family {
  readonly #options: FamilyOptions;
  readonly #following: FamilyFollowing;
  readonly #problems = new Map<string, AppError>();
  /** Who began those that were made here: one whose journal can't be read does not say so itself. */
  readonly #begunBy = new WeakMap<AgentProcess, string>();
  /** Those that are being recovered right now. */
  readonly #raising = new Map<string, Promise<AgentProcess | null>>();
  #isClosed = false;

  constructor(options: FamilyOptions) {
    this.#options = options;
    this.#following = new FamilyFollowing((child) => (this.#isClosed ? null : this.parentOf(child)));
  }

  /** Why one that was begun could not be begun again; null where it could. */
  problemOf(name: string): AppError | null {
    return this.#problems.get(name) ?? null;
  }

  /** Whether there is a process of this name. */
  isThere(name: string): boolean {
    return this.#options.processes().has(name);
  }

  /** Whoever began it; null for one with a manifest. */
  parentOf(process: AgentProcess): AgentProcess | null {
    const parent = this.#options.processes().get(this.#parentNameOf(process) ?? '');
    const isIts = parent?.snapshot.self.spawned.some((child) => child.name === process.name) === true;
    return isIts ? parent : null;
  }

  #parentNameOf(process: AgentProcess): string | null {
    return process.snapshot.parent?.process ?? this.#begunBy.get(process) ?? null;
  }

  /** It, and behind it those that it comes from, up to the first. */
  lineOf(process: AgentProcess): readonly AgentProcess[] {
    const line = [process];
    for (
      let next = this.parentOf(process);
      next !== null && !line.includes(next);
      next = this.parentOf(next)
    ) {
      line.push(next);
    }
    return line;
  }

  childrenOf({ name, snapshot }: AgentProcess): readonly AgentProcess[] {
    const processes = this.#options.processes();
    return snapshot.self.spawned.flatMap((spawned) => {
      const child = processes.get(spawned.name);
      return child !== undefined && this.#parentNameOf(child) === name ? [child] : [];
    });
  }

  /** All that came from it, however far down. */
  begunBy(process: AgentProcess): readonly AgentProcess[] {
    return this.childrenOf(process).flatMap((child) => [child, ...this.begunBy(child)]);
  }

  // --- the budget that they share

  member(process: () => AgentProcess): FamilyMember {
    const isAlone = ({ snapshot }: AgentProcess): boolean =>
      snapshot.parent === null && snapshot.self.spawned.length === 0;
    return {
      over: (more) => {
        const own = process();
        if (isAlone(own)) return null;
        const begunBy = (name: string): readonly Relative[] =>
          this.begunBy(this.#options.processes().get(name)!).map(relativeOf);
        return overFamily(this.lineOf(own).map(relativeOf), begunBy, more, this.#options.clock.now());
      },
      dayUntil: () => {
        const parent = this.parentOf(process());
        parent?.room.turn();
        return parent?.snapshot.budget.period?.until ?? null;
      },
      released: () => this.relieve(process()),
    };
  }

  /** There may be room for what the others of its family wait with. */
  relieve(process: AgentProcess): void {
    const first = this.lineOf(process).at(-1)!;
    for (const other of [first, ...this.begunBy(first)]) if (other !== process) other.room.relieveFamily();
  }

  // --- beginning and ending

  /** Recovers all that the journals of these tell of and no manifest does; nothing moves yet. */
  async recover(from: Iterable<AgentProcess>): Promise<readonly AgentProcess[]> {
    const recovered: AgentProcess[] = [];
    for (let parents = [...from]; parents.length > 0;) {
      const next: AgentProcess[] = [];
      for (const parent of parents) {
        for (const spawned of parent.snapshot.self.spawned) {
          const child = await this.#raise(parent, spawned);
          if (child !== null) next.push(child);
        }
      }
      recovered.push(...next);
      parents = next;
    }
    return recovered;
  }

  /**
   * Before a process is loaded anew, or is gone: what it began is let go of, as when the host quits, and is there again when
   * it is recovered with it.
   */
  async letGo(process: AgentProcess): Promise<void> {
    for (const one of this.begunBy(process).toReversed()) await this.#options.drop(one);
  }

  /** Sets one going that its parent's journal tells of; resolves when its own says so too. @throws why it can't be */
  async begin(parent: AgentProcess, spawned: SpawnedProcess): Promise<void> {
    const child = await this.#raise(parent, spawned);
    child?.begin();
    const problem = this.problemOf(spawned.name);
    if (problem !== null) throw problem;
  }

  /** Null for one that is there, or can't be; asked for twice at once, it is begun once. */
  #raise(parent: AgentProcess, spawned: SpawnedProcess): Promise<AgentProcess | null> {
    const { name } = spawned;
    const raising = this.#raising.get(name);
    if (raising !== undefined) return raising.then(() => null);
    const raised = this.#raised(parent, spawned).finally(() => this.#raising.delete(name));
    this.#raising.set(name, raised);
    return raised;
  }

  async #raised(parent: AgentProcess, spawned: SpawnedProcess): Promise<AgentProcess | null> {
    const { name } = spawned;
    const there = this.#options.processes().get(name);
    if (this.#isClosed || (there !== undefined && this.#parentNameOf(there) === parent.name)) return null;
    try {
      const depth = (parent.snapshot.parent?.depth ?? 0) + 1;
      const child = this.#options.put(childDefinition(parent.definition, spawned, depth));
      this.#begunBy.set(child, parent.name);
      await child.recover();
      if (child.live.trouble === null && child.snapshot.parent === null) {
        await child.record('spawned', { parent: parent.name, depth });
      }
      this.#problems.delete(name);
      if (child.snapshot.parent?.isDiscarded !== true) return child;
      // Its host was gone half way through.
      await this.#leave(parent, child, host('it was discarded'), {});
    } catch (error) {
      this.#problems.set(name, asAppError(error));
    }
    return null;
  }

  /**
   * Stops it and all that came from it, for good; their journals stay.
   * @param more of the entry in its parent's journal
   */
  async discard(child: AgentProcess, actor: Actor, more: JsonObject = {}): Promise<void> {
    for (const one of this.childrenOf(child)) await this.discard(one, actor);
    const parent = this.parentOf(child);
    // One in trouble does not move, and can't say so itself; its parent's word is enough.
    if (child.live.trouble === null) {
      await child.stop(actor);
      await child.record('discarded', { actor: actor.name, reason: actor.reason });
    }
    if (parent !== null) await this.#leave(parent, child, actor, more);
  }

  /** What it used is its parent's in the same step as it is gone. */
  async #leave(parent: AgentProcess, child: AgentProcess, actor: Actor, more: JsonObject): Promise<void> {
    const { snapshot } = child;
    const spent = plus(spentToday(snapshot, this.#options.clock.now()), snapshot.budget.reserved);
    await parent.record('process_discarded', {
      child: child.name,
      spent: { ...spent },
      actor: actor.name,
      reason: actor.reason,
      ...more,
    });
    this.#following.forget(child.name);
    await this.#options.drop(child);
  }

  // --- following

  close(): void {
    this.#isClosed = true;
  }

  /** Looked at after each change of a process: what follows from it is done, also where a crash came between. */
  changed(name: string): void {
    const process = this.#options.processes().get(name);
    if (process === undefined || this.#isClosed) return;
    if (process.snapshot.parent !== null) this.#following.lookAt(process);
    if (process.snapshot.self.spawned.length === 0) return;
    for (const child of this.childrenOf(process)) this.#following.lookAt(child);
  }
}

function relativeOf(process: AgentProcess): Relative {
  return {
    name: process.name,
    snapshot: process.snapshot,
    budget: process.settings.config.budget,
    turn: () => process.room.turn(),
  };
}
