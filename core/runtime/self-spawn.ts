// What an agent may begin: processes that are bounded by everything that bounds it, and not more of them than each that it
// comes from allows.

import type { OpenPlan } from '../model/agent-plan.ts';
import type { JournalProvider } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { MAX_DEPTH, type SpawnedProcess } from '../model/self-change.ts';
import type { AgentProcess } from './agent-process.ts';
import type { Family } from './family.ts';
import type { ArgumentsOf } from './self-arguments.ts';
import { guardedTrigger, refused } from './self-guards.ts';
import { triggerIdOf } from './trigger-id.ts';

export interface SelfSpawnOptions {
  readonly definition: ProcessDefinition;
  readonly self: () => AgentProcess;
  readonly family: Family;
  readonly journal: JournalProvider;
}

type Wanted = Omit<ArgumentsOf<'spawn_process'>, 'reason'>;

/** In bytes: each of its journal's files is called by it. */
const MAX_NAME = 150;

export class SelfSpawn {
  readonly #options: SelfSpawnOptions;

  constructor(options: SelfSpawnOptions) {
    this.#options = options;
  }

  /** Its parent's name stands before it, so that none goes by a name that somebody gave to another. */
  #nameOf(name: string): string {
    return `${this.#options.definition.name}.${name}`;
  }

  /** A journal is never taken up by another process than the one that it tells of. @throws `self.exists`, `self.too-long` */
  async refuseTaken(name: string): Promise<void> {
    const { journal } = this.#options;
    const child = this.#nameOf(name);
    if (Buffer.byteLength(child) > MAX_NAME) {
      throw refused('too-long', `${child} is too long for the name of a process. Choose a shorter one.`);
    }
    const same = (await journal.processes()).find((name) => name.toLowerCase() === child.toLowerCase());
    if (same !== undefined) throw taken(child, same);
  }

  /** As its entry has it. @throws `self.*`, `trigger.*` */
  checked(wanted: Wanted, open: OpenPlan): SpawnedProcess {
    const { definition, self, family } = this.#options;
    const child = this.#nameOf(wanted.name);
    const process = self();
    if (family.isThere(child) || process.snapshot.self.spawned.some(({ name }) => name === child))
      throw taken(child, child);
    this.#refuseMore();
    if (wanted.instructions.length > open.maxInstructionLength) {
      throw refused(
        'too-long',
        `These instructions have ${wanted.instructions.length} characters, and ${open.maxInstructionLength} are allowed.`,
      );
    }
    if (wanted.triggers.length > open.maxTriggers) {
      throw refused('too-many', `A process can be begun with at most ${open.maxTriggers} triggers.`);
    }
    const missing = wanted.secrets.filter((name) => !Object.hasOwn(definition.config.secrets.sources, name));
    if (missing.length > 0) {
      throw refused('no-secret', `It has no secret ${missing.join(', ')}, so it can't grant it.`);
    }
    const triggers = wanted.triggers.map((trigger) => guardedTrigger(trigger, definition.directory));
    if (new Set(triggers.map(({ trigger }) => triggerIdOf(trigger))).size < triggers.length) {
      throw refused('exists', 'Two of these triggers listen to the same. Leave one out.');
    }
    return {
      name: child,
      instructions: wanted.instructions,
      task: wanted.task,
      triggers: triggers.map(({ kept }) => kept),
      secrets: wanted.secrets,
    };
  }

  /** The same rules for all that come from it, counted up to the first. */
  #refuseMore(): void {
    const { self, family } = this.#options;
    const process = self();
    if ((process.snapshot.parent?.depth ?? 0) >= MAX_DEPTH) {
      throw refused(
        'too-deep',
        `Processes are begun ${MAX_DEPTH} deep at most, and this one is as deep as that.`,
      );
    }
    for (const one of family.lineOf(process)) {
      const most = one.settings.config.agent?.open?.maxSpawned ?? 0;
      const alive = aliveOf(family.begunBy(one));
      if (alive < most) continue;
      const whose = one === process ? 'It has' : `${one.name}, which it comes from, has`;
      throw refused(
        'too-many',
        `${whose} ${alive} processes that it began, and ${most} are allowed. Do it yourself.`,
      );
    }
  }

  /** Resolves when it is there, and on its way. @throws why it can't be */
  begun(child: string): Promise<void> {
    const { self, family } = this.#options;
    const process = self();
    const spawned = process.snapshot.self.spawned.find(({ name }) => name === child);
    return spawned === undefined ? Promise.resolve() : family.begin(process, spawned);
  }
}

/** Of those that came from one, how many count for what it may begin. */
export function aliveOf(begun: readonly AgentProcess[]): number {
  return begun.filter(({ snapshot }) => snapshot.lifecycle !== 'stopped').length;
}

function taken(child: string, same: string) {
  const how = same === child ? '' : `, which a disk may take for ${child}`;
  return refused('exists', `There is, or was, a process ${same}${how}. Choose another name.`);
}
