// What governance costs each effect, in processor time of the host: the same effects through the same gate and the same
// recorder without any of it, with each of its parts, and with all of them. In one process, with the journal in memory:
// nothing else is in it.

import { CapBook } from '../../core/governance/cap-book.ts';
import { BudgetKeeper } from '../../core/governance/budget-keeper.ts';
import { HealthKeeper } from '../../core/governance/health-keeper.ts';
import { MissionKeeper } from '../../core/governance/mission-keeper.ts';
import { systemClock } from '../../core/host/system-clock.ts';
import { InMemoryJournal } from '../../core/journal/memory-journal.ts';
import { DEFAULT_BUDGET, LIMIT_NAMES, type BudgetConfig } from '../../core/model/budget.ts';
import { effectIdOf } from '../../core/model/effects.ts';
import { DEFAULT_HEALTH, type HealthConfig } from '../../core/model/health.ts';
import type { Judge } from '../../core/model/judge.ts';
import { DEFAULT_MISSION, type MissionConfig } from '../../core/model/mission.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessDefinition } from '../../core/model/process-config.ts';
import { NOTHING_SECRET, Scrubber } from '../../core/model/scrubber.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { EffectGate, type GateOptions } from '../../core/runtime/effect-gate.ts';
import { Recorder } from '../../core/runtime/recorder.ts';
import { describeMachine } from './machine.ts';
import { atMost, measured, spread, type BenchResult } from './result.ts';
import { sized, takeTurns, type Samples } from './rounds.ts';

const RUNS = sized(100, 2);
const EFFECTS = sized(100, 5);
/** Both have run before anything is measured, and take turns within each round as well. */
const SLICES = 4;
const AGENT = 'agent';
const NAMES = ['look', 'pay', 'delete'] as const;
/** Far off: what is measured is to look, and not to be held. */
const PLENTY = 1e9;

const BUDGET: BudgetConfig = {
  ...DEFAULT_BUDGET,
  limits: Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, PLENTY])),
  effectCosts: {
    pay: { cost: 2.5, isIrreversible: false },
    delete: { cost: 0.1, isIrreversible: true },
  },
};

/** All detectors, with names that are seen often. */
const HEALTH: HealthConfig = { ...DEFAULT_HEALTH, isEnabled: true };

/** With far more runs to come before it is judged. */
const MISSION: MissionConfig = { ...DEFAULT_MISSION, objective: 'All is booked.', evalEvery: PLENTY };

const CAPS = {
  workspace: {
    limits: { max_tool_calls_per_day: PLENTY, max_cost_per_day: PLENTY, max_irreversible_per_day: PLENTY },
    resetHour: 0,
    resetZone: 'UTC',
  },
} as const;

const UNIT = 'µs of processor time an effect';
const WITHOUT = 'without any of it';

/** What is on; each further part of governance is a field here. */
interface Parts {
  readonly budget: boolean;
  readonly secrets: boolean;
  readonly health: boolean;
  readonly mission: boolean;
}

const NONE: Parts = { budget: false, secrets: false, health: false, mission: false };
const ALL: Parts = { budget: true, secrets: true, health: true, mission: true };
/** What is measured beside nothing at all; the last has all there is. */
const VARIANTS: readonly { readonly name: string; readonly added: string; readonly parts: Parts }[] = [
  { name: 'with all limits', added: 'what all limits add', parts: { ...NONE, budget: true } },
  { name: 'with 20 secrets', added: 'what 20 secrets add', parts: { ...NONE, secrets: true } },
  { name: 'with health', added: 'what health adds', parts: { ...NONE, health: true } },
  { name: 'with a mission', added: 'what a mission adds', parts: { ...NONE, mission: true } },
  { name: 'with all of it', added: 'what all of it adds', parts: ALL },
];

export async function run(): Promise<BenchResult> {
  const at = new Date().toISOString();
  const rounds = await takeTurns([allInTurns]);
  return {
    bench: 'governance',
    at,
    machine: describeMachine(),
    limits: { [WITHOUT]: spread(rounds(WITHOUT), UNIT) },
    results: VARIANTS.flatMap(({ name, added }) => [
      measured(name, rounds(name), UNIT),
      measured(added, rounds(added), UNIT, { target: atMost(20) }),
    ]),
  };
}

async function allInTurns(): Promise<Samples> {
  const sums = VARIANTS.map(() => 0);
  let free = 0;
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const [at, { parts }] of VARIANTS.entries()) sums[at]! += await microsOf(parts);
    free += await microsOf(NONE);
  }
  const samples = VARIANTS.flatMap(({ name, added }, at) => [
    [name, sums[at]! / SLICES] as const,
    [added, (sums[at]! - free) / SLICES] as const,
  ]);
  return { ...Object.fromEntries(samples), [WITHOUT]: free / SLICES };
}

/** Processor time for each effect; that everything was counted, and everything permitted, is looked at afterwards. */
async function microsOf(parts: Parts): Promise<number> {
  const clock = systemClock();
  const scrub = parts.secrets ? SECRETS : NOTHING_SECRET;
  const recorder = new Recorder(emptySnapshot(), {
    journal: new InMemoryJournal(),
    process: AGENT,
    level: 'checkpoint',
    checkpointEvery: 'auto',
    clock,
    ids: { next: () => crypto.randomUUID() },
    onEntry: () => caps.touched(),
    scrub,
    onFailure: (error) => {
      throw error;
    },
  });
  const book = new CapBook({ clock, configs: parts.budget ? CAPS : {}, ledger: null, onRoom: () => {} });
  const caps = book.join(AGENT, () => recorder);
  const keeper = new BudgetKeeper({
    process: AGENT,
    config: () => BUDGET,
    caps,
    recorder: () => recorder,
    clock,
    onExceeded: ({ limit }) => {
      throw new Error(`${limit} was reached, of which there was plenty.`);
    },
    onReleased: () => {},
  });
  const health = new HealthKeeper({
    process: AGENT,
    config: HEALTH,
    recorder: () => recorder,
    clock,
    moving: () => [],
    onAnomaly: ({ type }) => {
      throw new Error(`${type} was found, where nothing is to be.`);
    },
  });
  const mission = new MissionKeeper({
    process: AGENT,
    config: MISSION,
    recorder: () => recorder,
    clock,
    judge: NEVER_ASKED,
    budget: keeper,
    escalate: () => {},
    mayMove: () => true,
    mayJudge: () => true,
    onOver: () => {},
    onRoom: () => {},
    onChange: () => {},
  });
  if (parts.mission) mission.look();
  let permitted = 0;
  const gate = new EffectGate({
    definition: DEFINITION,
    recorder: () => recorder,
    clock,
    generation: () => 1,
    send: ({ type }) => {
      if (type === 'effect-permitted') permitted += 1;
    },
    budget: parts.budget ? keeper : NO_BUDGET,
    health: parts.health ? health : NO_HEALTH,
    onUnkept: (error) => {
      throw error;
    },
  });
  const before = process.cpuUsage();
  for (let number = 0; number < RUNS; number += 1) {
    const eventId = `event-${number}`;
    recorder.note('trigger_event', {
      event_id: eventId,
      trigger_id: 'manual',
      trigger_type: 'manual',
      payload: null,
    });
    recorder.note('invocation_start', { event_id: eventId, invocation: number + 1, attempt: 1 });
    for (let occurrence = 0; occurrence < EFFECTS; occurrence += 1) {
      const name = NAMES[occurrence % NAMES.length]!;
      const effectId = effectIdOf(eventId, name, occurrence);
      // Each with arguments of its own, so that none of them is a repetition.
      const argsHash = String(occurrence);
      const announced = { ...ANNOUNCEMENT, run: number, effectId, name, occurrence, argsHash, key: effectId };
      gate.announced({ ...announced, args: scrub.json(announced.args) }, eventId);
      await recorder.settled();
      const ended = { ...ENDED, run: number, effectId };
      gate.ended({ ...ended, end: scrub.json(ended.end) }, eventId);
    }
    recorder.note('invocation_result', { event_id: eventId, invocation: number + 1, response: '' });
    gate.invocationEnded(eventId);
    if (parts.health) health.runEnded();
    if (parts.mission) mission.look();
    recorder.cycleEnded();
  }
  await recorder.settled();
  health.rest();
  const { user, system } = process.cpuUsage(before);
  const effects = RUNS * EFFECTS;
  const { toolCalls = 0 } = recorder.snapshot.budget.spent;
  if (permitted !== effects || toolCalls !== (parts.budget ? effects : 0)) {
    throw new Error(`${permitted} of ${effects} effects were permitted, and ${toolCalls} counted.`);
  }
  return (user + system) / effects;
}

const DEFINITION: ProcessDefinition = {
  name: AGENT,
  description: '',
  entrypoint: '',
  directory: '',
  config: DEFAULT_PROCESS_CONFIG,
  configHash: 'bench',
  codeHash: 'bench',
};

const ANNOUNCEMENT = {
  type: 'effect-announced',
  effectClass: 'ask',
  args: null,
  attempt: 1,
  keyTtlMs: null,
  timeoutMs: null,
} as const;

const ENDED = {
  type: 'effect-ended',
  end: { kind: 'done', result: null },
  reconciled: false,
  isAwaited: false,
} as const;

/** Twenty, of the length that keys have. */
const SECRETS = new Scrubber();
for (let count = 0; count < 20; count += 1) SECRETS.know(`KEY_${count}`, `sk-${crypto.randomUUID()}`);

const NEVER_ASKED: Judge = {
  judge: async () => {
    throw new Error('The judge was asked, and nothing was due.');
  },
  idle: async () => {},
};

/** As if there were no such thing. */
const NO_HEALTH: GateOptions['health'] = {
  announced: () => {},
  permitted: () => {},
  ended: () => null,
  workerGone: () => {},
};
const NO_BUDGET: GateOptions['budget'] = {
  bookingOf: () => ({ booked: {}, asked: {}, facts: {} }),
  usedOf: () => ({}),
  fits: () => true,
  counted: () => {},
  released: () => {},
};
