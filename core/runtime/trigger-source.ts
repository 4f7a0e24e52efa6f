// One trigger that is open: a schedule that is followed, an address that is listened at, a folder that is watched. What can't
// be opened says why, and is tried again for as long as it is wanted; its process does without it meanwhile.

import { codeOf, messageOf } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import type { CronTriggerConfig } from '../model/trigger-config.ts';
import type { DueTicks } from '../triggers/cron-due.ts';
import { startCronTrigger } from '../triggers/cron-trigger.ts';
import { startFileWatch } from '../triggers/file-watch.ts';
import type { TriggerSink } from '../triggers/trigger-sink.ts';
import type { WebhookServers } from '../triggers/webhook-servers.ts';
import type { WebhookHealth } from '../triggers/webhook-route.ts';
import { Delay } from './delay.ts';
import type { KnownTrigger } from './trigger-list.ts';

const AGAIN_MS = 10_000;

export interface SourceDependencies {
  readonly process: string;
  readonly clock: Clock;
  readonly servers: WebhookServers;
  /** Why a folder's disk gives no hints of what changes; null for one that does. */
  readonly needsPolling: (path: string) => string | null;
  readonly sink: (trigger: KnownTrigger) => TriggerSink;
  readonly onDue: (
    trigger: KnownTrigger & { readonly trigger: CronTriggerConfig },
    due: DueTicks,
  ) => Promise<void>;
  /** From when on a schedule is looked at, in epoch milliseconds. */
  readonly since: (triggerId: string) => number;
  readonly health: () => WebhookHealth;
  readonly onChange: () => void;
}

export interface TriggerProblem {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

export interface SourceFacts {
  /** ISO 8601; null for what follows no schedule. */
  readonly next: string | null;
  /** Where to post to, or what is watched and how; null for neither. */
  readonly address: string | null;
  /** Why nothing comes of it, or comes late; null for nothing. */
  readonly problem: TriggerProblem | null;
}

interface Open {
  readonly facts: () => SourceFacts;
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

const NOTHING: SourceFacts = { next: null, address: null, problem: null };

export class TriggerSource {
  readonly #known: KnownTrigger;
  readonly #dependencies: SourceDependencies;
  readonly #again: Delay;
  #open: Open | null = null;
  #problem: TriggerProblem | null = null;
  #opening: Promise<void>;
  #isOver = false;

  /** @param after what was open here before has to be closed first */
  constructor(known: KnownTrigger, dependencies: SourceDependencies, after: Promise<void>) {
    this.#known = known;
    this.#dependencies = dependencies;
    this.#again = new Delay(dependencies.clock);
    const { trigger } = known;
    if (trigger.type === 'cron') {
      this.#open = this.#followed({ ...known, trigger });
      this.#opening = Promise.resolve();
    } else {
      this.#opening = after.then(() => this.#try());
    }
  }

  get facts(): SourceFacts {
    if (this.#open === null) return { ...NOTHING, problem: this.#problem };
    return this.#open.facts();
  }

  /** What keeps it from waking its process. A request that a webhook refused keeps nobody else's out. */
  get trouble(): TriggerProblem | null {
    if (this.#open === null) return this.#problem;
    return this.#known.trigger.type === 'webhook' ? null : this.#open.facts().problem;
  }

  /** Resolves when it was tried for the first time, with why it could not be opened; null where it could. */
  async tried(): Promise<TriggerProblem | null> {
    await this.#opening;
    return this.#open === null ? this.#problem : null;
  }

  /** Looks at the clock now, and at whether what was refused may be taken. */
  check(): void {
    this.#open?.check();
  }

  /** Resolves when nothing comes of it any more. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#again.cancel();
    await this.#opening;
    const open = this.#open;
    this.#open = null;
    await open?.close();
  }

  async #try(): Promise<void> {
    if (this.#isOver) return;
    try {
      this.#open = await this.#start();
      this.#problem = null;
    } catch (error) {
      // It was closed meanwhile.
      if (this.#isOver) return;
      const at = timestampOf(this.#dependencies.clock.now());
      this.#problem = { code: codeOf(error), message: messageOf(error), at };
      this.#again.start(AGAIN_MS, () => {
        this.#opening = this.#try();
      });
    }
    this.#dependencies.onChange();
  }

  async #start(): Promise<Open | null> {
    const { process, clock, servers, sink, needsPolling, health } = this.#dependencies;
    const { id, trigger } = this.#known;
    switch (trigger.type) {
      case 'webhook': {
        const owner = { process, triggerId: id, sink: sink(this.#known), clock, health };
        const running = await servers.open(trigger, owner);
        return {
          facts: () => ({ next: null, address: running.facts.url, problem: running.facts.problem }),
          check: () => {},
          close: () => running[Symbol.asyncDispose](),
        };
      }
      case 'file_watch': {
        const running = await startFileWatch(trigger, { clock, sink: sink(this.#known), needsPolling });
        return {
          facts: () => {
            const { path, by, whyPolling, problem } = running.facts;
            const how =
              by === 'hints' ? '' : ` (looked at again and again: ${whyPolling ?? 'as configured'})`;
            return { next: null, address: `${path}${how}`, problem };
          },
          check: () => {},
          close: () => running[Symbol.asyncDispose](),
        };
      }
      case 'cron':
      case 'manual':
      case 'event':
      case 'message':
        return null;
    }
  }

  #followed(known: KnownTrigger & { readonly trigger: CronTriggerConfig }): Open {
    const { clock, since, onDue } = this.#dependencies;
    const running = startCronTrigger(known.trigger, {
      clock,
      lastMs: since(known.id),
      onDue: (due) => onDue(known, due),
    });
    return {
      facts: () => ({ next: running.next, address: null, problem: running.problem }),
      check: () => running.check(),
      close: async () => running[Symbol.dispose](),
    };
  }
}
