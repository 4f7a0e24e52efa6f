// The life of one turn of a model agent, ten steps with five calls of tools, with kills in it at places that are chosen:
// between calls, by entries of its journal, and inside of them, when a server has got the call, in the middle of its answer, or
// behind it. Whatever is killed is started again until the turn is done; then it is judged by the servers, which nobody kills,
// by its journal, and by what a turn without a kill comes to.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { readFileJournal } from '../../core/journal/index.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { textAt, type Json } from '../../core/model/json.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { startNode, type Running } from '../support/child.ts';
import type { KillPlace } from '../support/killing-disk.ts';
import { startToolServer, type ToolServer } from '../support/tool-server.ts';
import {
  FORM,
  TURN_ACTS,
  TURN_AGENT,
  TURN_TOOLS,
  turnAnswer,
  type TurnOrder,
  type Victim,
} from '../support/turn-life.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWireModel, type WireModel } from '../support/wire-model.ts';
import { unreportedDoubts } from './doubts.ts';
import { below } from './random.ts';

const HOST = fileURLToPath(new URL('../support/turn-host.ts', import.meta.url));
/** Of one host; the machine may have much else to do. */
const PATIENCE_MS = 120_000;
const MOST_HOSTS = 20;
const MODEL_CALLS = 5;

export const PHASES = ['before', 'middle', 'after'] as const;
export type Phase = (typeof PHASES)[number];

export type TurnKill =
  | { readonly victim: Victim; readonly at: KillPlace }
  /** The how-manieth call that a server gets, of a model or of a tool. */
  | { readonly victim: Victim; readonly inside: { readonly call: number; readonly phase: Phase } };

export interface TurnTally {
  readonly kills: number;
  /** Calls of the model beyond those of a turn without kills. */
  readonly paidAgain: number;
  readonly entries: number;
  readonly problems: readonly string[];
}

export interface TurnSweep {
  /** How many entries a turn without a kill writes, and how many calls its servers get. */
  readonly positions: number;
  readonly calls: number;
  /** The entry with its list of tools, behind which nothing else is begun yet. */
  readonly listedAt: number;
  live(kills: readonly TurnKill[]): Promise<TurnTally>;
}

/** @throws Error where a turn without a kill goes wrong */
export async function startTurnSweep(directory: string, isMcp = false): Promise<TurnSweep> {
  let lives = 0;
  const next = (kills: readonly TurnKill[]): Promise<Lived> => {
    lives += 1;
    return liveOnce(join(directory, `life-${lives}`), kills, isMcp);
  };
  const undisturbed = await next([]);
  const { tally, state: expected, listedAt } = undisturbed;
  if (tally.problems.length > 0) throw new Error(`without a kill: ${tally.problems.join('; ')}`);
  return {
    positions: tally.entries,
    calls: MODEL_CALLS + Object.keys(TURN_TOOLS).length,
    listedAt,
    live: async (kills) => {
      const { tally: lived, state } = await next(kills);
      const wrong = isDeepStrictEqual(state, expected)
        ? []
        : [`${JSON.stringify(state)} instead of ${JSON.stringify(expected)}`];
      const problems = [...lived.problems, ...wrong].map((text) => `${text}, after ${JSON.stringify(kills)}`);
      return { ...lived, problems };
    },
  };
}

/** Every place between calls, and every one inside of them, with everybody who can be killed there. */
export function allTurnKills({
  positions,
  calls,
}: Pick<TurnSweep, 'positions' | 'calls'>): readonly TurnKill[] {
  const places: TurnKill[] = Array.from({ length: positions }, (_, at) => at + 1).flatMap((seq) => [
    { victim: 'worker', at: { seq, when: 'durable' } },
    { victim: 'host', at: { seq, when: 'written' } },
    { victim: 'both', at: { seq, when: 'durable' } },
  ]);
  const inside: TurnKill[] = Array.from({ length: calls }, (_, at) => at + 1).flatMap((call) =>
    PHASES.flatMap((phase): TurnKill[] => [
      { victim: 'worker', inside: { call, phase } },
      { victim: 'both', inside: { call, phase } },
      { victim: 'host', inside: { call, phase } },
    ]),
  );
  return [...places, ...inside];
}

/** Several kills of one turn, inside of calls. */
export function randomTurnKills(random: () => number, calls: number): readonly TurnKill[] {
  const many = 2 + below(random, 3);
  return Array.from({ length: many }, () => ({
    victim: (['worker', 'host', 'both'] as const)[below(random, 3)]!,
    inside: { call: 1 + below(random, calls + many), phase: PHASES[below(random, PHASES.length)]! },
  }));
}

interface Lived {
  readonly tally: TurnTally;
  /** What it came to, without what differs from life to life. */
  readonly state: Json;
  readonly listedAt: number;
}

async function liveOnce(directory: string, kills: readonly TurnKill[], isMcp: boolean): Promise<Lived> {
  const killer = new Killer(kills);
  const model = await startWireModel((question) => turnAnswer(question), { beside: killer.besideCall });
  const tools = await startToolServer(TURN_ACTS, killer.besideCall);
  try {
    const problems = await hosts(directory, { model, tools, isMcp, killer });
    return await judged(directory, { model, tools, kills: killer.landed, problems });
  } finally {
    await Promise.all([model.close(), tools.close()]);
  }
}

interface World {
  readonly model: WireModel;
  readonly tools: ToolServer;
  readonly isMcp: boolean;
  readonly killer: Killer;
}

/** Starts one host after the other, until one has done everything. */
async function hosts(directory: string, { model, tools, isMcp, killer }: World): Promise<string[]> {
  for (let count = 0; count < MOST_HOSTS; count += 1) {
    const order: TurnOrder = {
      directory,
      model: model.name(FORM),
      tools: tools.url,
      isMcp,
      kill: killer.nextPlace(),
    };
    const host = startNode(HOST, [JSON.stringify(order)]);
    killer.watches(host);
    const timer = setTimeout(() => host.process.kill('SIGKILL'), PATIENCE_MS);
    const { code, signal, stdout, stderr } = await host.ended;
    clearTimeout(timer);
    if (/^killed (worker|host|both)$/m.test(stdout)) killer.landed += 1;
    if (stderr !== '') return [`the host says: ${stderr}`];
    if (code === 0) return [];
    const wasKilled =
      signal === 'SIGKILL' && (/^killed (host|both)$/m.test(stdout) || killer.hasKilled(host));
    if (!wasKilled) return [signal === null ? `it ended with ${code}` : 'it goes on for ever'];
  }
  return [`it is not done after ${MOST_HOSTS} hosts`];
}

class Killer {
  readonly #places: Extract<TurnKill, { at: KillPlace }>[];
  readonly #inside: Exclude<TurnKill, { at: KillPlace }>[];
  #host: Running | null = null;
  readonly #killed = new Set<Running>();
  #calls = 0;
  landed = 0;

  constructor(kills: readonly TurnKill[]) {
    this.#places = kills.flatMap((kill) => ('at' in kill ? [kill] : []));
    this.#inside = kills.flatMap((kill) => ('at' in kill ? [] : [kill]));
  }

  nextPlace(): TurnOrder['kill'] {
    return this.#places.shift() ?? null;
  }

  watches(host: Running): void {
    this.#host = host;
  }

  hasKilled(host: Running): boolean {
    return this.#killed.has(host);
  }

  /** What a server is in the middle of it does not come back from, unless only the host is gone. */
  readonly besideCall = async (phase: Phase): Promise<void> => {
    if (phase === 'before') this.#calls += 1;
    const at = this.#inside.findIndex(({ inside }) => inside.call === this.#calls && inside.phase === phase);
    if (at < 0) return;
    const [{ victim } = { victim: 'host' as const }] = this.#inside.splice(at, 1);
    const host = this.#host!;
    const worker = victim === 'host' ? null : await waitFor(() => workerOf(host), { what: 'the worker' });
    if (worker !== null) process.kill(worker, 'SIGKILL');
    if (victim !== 'worker') {
      this.#killed.add(host);
      host.process.kill('SIGKILL');
    }
    this.landed += 1;
    if (victim !== 'host') await new Promise<never>(() => {});
  };
}

function workerOf(host: Running): number | null {
  const last = host
    .stdout()
    .match(/^worker \d+$/gm)
    ?.at(-1);
  return Number(last?.slice('worker '.length) ?? 0) || null;
}

// --- the judgement

interface Book {
  readonly model: WireModel;
  readonly tools: ToolServer;
  readonly kills: number;
  readonly problems: readonly string[];
}

async function judged(directory: string, { model, tools, kills, problems: before }: Book): Promise<Lived> {
  const journal = readFileJournal(directory);
  const entries = await journal.read(TURN_AGENT);
  const { snapshot, damage } = await new ReplayEngine(journal).recover(TURN_AGENT);
  const { processes } = await verifyJournal(directory);
  const paidAgain = model.asked.length - MODEL_CALLS;
  const problems = [
    ...before,
    ...[...damage, ...processes.flatMap((report) => report.damage)].map(
      ({ seq, reason }) => `${seq}: ${reason}`,
    ),
    ...(isDeepStrictEqual(snapshot, foldEntries(entries)) ? [] : ['its checkpoints give another state']),
    ...(paidAgain > kills ? [`${kills} kills cost ${paidAgain} more calls of the model`] : []),
    ...askedAgain(entries, model),
    ...forgotten(snapshot, model),
    ...doneAgain(tools, kills),
    ...unreportedDoubts(entries, tools.askedAbout).map(({ text }) => text),
  ];
  return {
    tally: { kills, paidAgain, entries: entries.length, problems },
    state: stateOf(entries, snapshot),
    listedAt: entries.find(({ entry_type }) => entry_type === 'tools_listed')?.seq ?? 0,
  };
}

/** An answer that is recorded is asked for by nobody any more, and every call was announced. */
function askedAgain(entries: readonly StoredEntry[], model: WireModel): string[] {
  const announced = new Map<string, number>();
  const done = new Set<string>();
  const problems: string[] = [];
  for (const { entry_type, data } of entries) {
    const effectId = textAt(data, 'effect_id');
    if (entry_type === 'effect_started' && done.has(effectId))
      problems.push(`${effectId} is done, and begun again`);
    if (entry_type === 'effect_started' && data['model'] !== undefined) {
      announced.set(effectId, (announced.get(effectId) ?? 0) + 1);
    }
    if (data['unpermitted'] === true) announced.set(effectId, (announced.get(effectId) ?? 0) - 1);
    if (entry_type === 'effect_finished' && data['end'] === 'done') done.add(effectId);
  }
  const most = [...announced.values()].sort((a, b) => b - a);
  const counts = [...model.counts()].sort((a, b) => b - a);
  for (const [at, count] of counts.entries()) {
    if (count > (most[at] ?? 0))
      problems.push(`the same was asked ${count} times, and announced ${most[at] ?? 0} times`);
  }
  return problems;
}

/** Each call that a provider got is counted in the budget, whatever became of it [S33]. */
function forgotten({ budget: { spent, reserved } }: ProcessSnapshot, model: WireModel): string[] {
  const counted = (spent.modelTurns ?? 0) + (reserved.modelTurns ?? 0);
  return counted >= model.asked.length
    ? []
    : [`${model.asked.length} calls of the model, and ${counted} are counted`];
}

/** A tool is not done again in silence: it follows its class [S28]. */
function doneAgain({ done }: ToolServer, kills: number): string[] {
  return Object.entries(TURN_TOOLS).flatMap(([name, { class: effectClass }]) => {
    const times = done.filter(({ tool }) => tool === name);
    const keys = new Set(times.map(({ key }) => key));
    const most = effectClass === 'retry' || effectClass === 'idempotent' ? 1 + kills : 1;
    return [
      ...(times.length === 0 ? [`${name} is on record and was never done`] : []),
      ...(times.length > most ? [`${name}, of class ${effectClass}, was done ${times.length} times`] : []),
      ...(keys.size > 1 ? [`${name} was asked for under ${keys.size} keys`] : []),
    ];
  });
}

/** Ids, marks and times differ. */
function stateOf(entries: readonly StoredEntry[], snapshot: ProcessSnapshot): Json {
  const { lifecycle, holds, invocationCount, conversation, queue, open, deadLetters } = snapshot;
  const results = entries.filter(({ entry_type }) => entry_type === 'invocation_result');
  return {
    lifecycle,
    holds: holds.map(({ kind }) => kind),
    invocationCount,
    answers: results.map(({ data }) => textAt(data, 'response')),
    conversation: conversation.map((said) => [textAt(said, 'role'), textAt(said, 'content').length]),
    unfinished: queue.length + open.length + deadLetters.length,
  };
}
