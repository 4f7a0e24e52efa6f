// What an agent in open mode gets to read about itself. It changes nothing; the text goes to its model, so no value of a
// secret is in it.

import { spentToday } from '../governance/family-budget.ts';
import type { OpenPlan } from '../model/agent-plan.ts';
import { limitNow, LIMIT_NAMES, LIMITS } from '../model/budget.ts';
import { total } from '../model/meters.ts';
import type { Clock } from '../model/ports.ts';
import { describeChange, standing } from '../model/self-change.ts';
import type { AgentProcess } from './agent-process.ts';
import type { Family } from './family.ts';
import { refused } from './self-guards.ts';
import { aliveOf } from './self-spawn.ts';

const MAX_LINES = 200;
const MAX_TEXT = 500;

export class SelfReads {
  readonly #self: () => AgentProcess;
  readonly #family: Family;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(self: () => AgentProcess, family: Family, clock: Pick<Clock, 'now'>) {
    this.#self = self;
    this.#family = family;
    this.#clock = clock;
  }

  /** It and what came from it; of other processes it learns nothing. */
  processes(): string {
    const self = this.#self();
    const lines = [self, ...this.#family.begunBy(self)].map((process) => {
      const { lifecycle, lifecycleReason, queue, open, invocationCount } = process.snapshot;
      const who = process === self ? 'you' : `begun by ${this.#family.parentOf(process)?.name ?? '?'}`;
      const { trouble } = process.live;
      if (trouble !== null)
        return `${process.name}, ${who}: can't go on: ${trouble.message.slice(0, MAX_TEXT)}`;
      const why = lifecycleReason === '' ? '' : ` (${lifecycleReason.slice(0, MAX_TEXT)})`;
      return `${process.name}, ${who}: ${lifecycle}${why}; ${invocationCount} handled, ${open.length} under way, ${queue.length} waiting`;
    });
    const lost = self.snapshot.self.spawned.flatMap(({ name }) => {
      const problem = this.#family.problemOf(name);
      return problem === null ? [] : [`${name}: can't be begun again: ${problem.message.slice(0, MAX_TEXT)}`];
    });
    return [...lines, ...lost].slice(0, MAX_LINES).join('\n');
  }

  capabilities(open: OpenPlan): string {
    const { self, parent } = this.#self().snapshot;
    const may = (isAllowed: boolean, what: string, limit: string): string =>
      `${what}: ${isAllowed ? limit : 'not allowed'}`;
    const lines = [
      may(
        open.mayChangeInstructions,
        'change instructions',
        `at most ${open.maxInstructionLength} characters`,
      ),
      may(
        open.mayManageTriggers,
        'add triggers',
        `${standing(self, 'trigger').length} of ${open.maxTriggers} added`,
      ),
      may(
        open.mayConnectServers,
        'connect MCP servers',
        open.allowedUrls.length === 0 ? 'any public address' : `at ${open.allowedUrls.join(', ')}`,
      ),
      may(open.mayManageMemory, 'manage memory', 'allowed'),
      may(
        open.maySpawn,
        'begin processes',
        `${aliveOf(this.#family.begunBy(this.#self()))} of ${open.maxSpawned} begun; this one is ${parent?.depth ?? 0} deep`,
      ),
      'create tools: not allowed',
      `changes of instructions and servers: ${self.rebuilds} of ${open.maxRebuilds ?? 'any number'}`,
    ];
    const changes = standing(self).map((change) => `change ${change.seq}: ${describeChange(change)}`);
    return [...lines, ...changes].slice(0, MAX_LINES).join('\n');
  }

  /** With what it began, which counts for the same; and the limits that bind it from above. */
  budget(): string {
    const self = this.#self();
    const nowMs = this.#clock.now();
    self.room.turn();
    const lines = this.#family.lineOf(self).flatMap((process) => {
      const { snapshot, settings } = process;
      const begun = this.#family.begunBy(process);
      return LIMIT_NAMES.flatMap((limit): readonly string[] => {
        const { meter, scope, words } = LIMITS[limit];
        const eventId = snapshot.open[0]?.event.eventId ?? null;
        const own = limitNow(settings.config.budget, snapshot, { limit, eventId, nowMs });
        if (own === null || (scope === 'run' && process !== self)) return [];
        const others = scope === 'run' ? [] : begun;
        const used = others.reduce(
          (sum, one) =>
            total(sum, spentToday(one.snapshot, nowMs)[meter] ?? 0, one.snapshot.budget.reserved[meter] ?? 0),
          total(own.spent, own.reserved),
        );
        const whose = process === self ? '' : `, shared with ${process.name}`;
        return [`${words}: ${used} of ${own.max} used, ${total(own.max, -used)} left${whose}`];
      });
    });
    return lines.length === 0 ? 'There are no limits.' : lines.join('\n');
  }

  mission(): string {
    const { mission } = this.#self().snapshot;
    if (mission === null) return 'There is no mission.';
    const { objective, status, reason, runs, history } = mission;
    const last = history.at(-1);
    return [
      `objective: ${objective}`,
      `status: ${status}${reason === '' ? '' : ` (${reason.slice(0, MAX_TEXT)})`}`,
      `runs: ${runs}`,
      last === undefined
        ? 'not judged yet'
        : `last verdict: ${last.outcome}, confidence ${last.confidence}: ${last.reasoning.slice(0, MAX_TEXT)}`,
    ].join('\n');
  }

  /** @throws `self.no-secret` for one that there is not */
  secret(name: string): string {
    const standings = this.#self().secrets.standings();
    const found = standings.find((secret) => secret.name === name);
    const names = standings.map((secret) => secret.name).join(', ') || 'none';
    if (found === undefined) throw refused('no-secret', `There is no secret ${name}. There are: ${names}.`);
    return `There is a secret ${name}, and it is ${found.status}. Its value is not told: what a model reads leaves this machine. Tools that need it get it from the host by themselves.`;
  }
}
