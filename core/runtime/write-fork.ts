// The beginning of a forked process's journal [S40]: where it comes from, and the state that it begins with, durable before
// anything else is said about it. The journal that it comes from is only read.

import { isSpilled, type RecordedEffect } from '../model/effects.ts';
import type { EntryType } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { forked, type LeftBehind } from '../model/fork.ts';
import type { Json } from '../model/json.ts';
import type { Clock, Ids, JournalProvider } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { Lineage, OpenInvocation, ProcessSnapshot } from '../model/snapshot.ts';
import type { Scrub } from '../model/scrubber.ts';
import { timestampOf } from '../model/time.ts';
import { readFromEntry } from '../replay/from-entry.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import type { Actor } from './lifecycle-driver.ts';
import { Recorder } from './recorder.ts';

export interface ForkOrder {
  /** The process that it is taken from, and the last of its entries that it has. */
  readonly from: string;
  readonly at: number;
  /** Keys of the context that begin with another value. */
  readonly set: Readonly<Record<string, Json>>;
}

export interface ForkPlan {
  readonly lineage: Lineage;
  readonly left: LeftBehind;
  /** Invocations that it goes on with, once it is resumed. */
  readonly unfinished: readonly { readonly eventId: string; readonly effects: number }[];
  readonly contextKeys: number;
  readonly conversation: number;
}

export interface ForkOptions {
  readonly journal: JournalProvider;
  readonly journalId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly vault: Scrub;
}

/**
 * What the new process would begin with; nothing is done.
 * @throws `fork.name-taken`, `rewind.no-entry`, `rewind.too-far`, `journal.damaged`
 */
export async function planFork(options: ForkOptions, name: string, order: ForkOrder): Promise<ForkPlan> {
  const { plan } = await work(options, name, order);
  await refuseTaken(options.journal, name, plan.lineage);
  return plan;
}

/**
 * Resolves when its journal has what it begins with. One that was left unfinished by a crash is begun again.
 * @throws `journal.required`, and what {@link planFork} does
 */
export async function writeFork(
  options: ForkOptions,
  definition: ProcessDefinition,
  order: ForkOrder,
  actor: Actor,
): Promise<ForkPlan> {
  const { journal, clock, ids, vault } = options;
  const { name, config } = definition;
  refuseKeepingNothing(definition);
  const { snapshot, plan } = await work(options, name, order);
  const { lineage, left } = plan;
  await refuseTaken(journal, name, lineage);
  await journal.claim(name, { durability: config.durability, retention: config.retention });
  const open = await Promise.all(snapshot.open.map((one) => withOwnSpills(journal, order.from, name, one)));
  const found = await new ReplayEngine(journal).recover(name);
  const recorder = new Recorder(found.snapshot, {
    journal,
    process: name,
    level: 'full',
    checkpointEvery: config.checkpointEvery,
    clock,
    ids,
    scrub: vault,
    onFailure: () => {}, // whoever waits for the move is told
  });
  const since = timestampOf(clock.now());
  const reason = `forked from entry ${order.at} of ${order.from}`;
  const said = { process: order.from, journal_id: lineage.journalId, seq: lineage.seq };
  const entry = {
    ...said,
    left: { ...left },
    set: Object.keys(order.set),
    actor: actor.name,
    reason: actor.reason,
  };
  await recorder.move('forked', entry, ({ seq }) => ({
    ...snapshot,
    open,
    seq,
    writer: found.snapshot.writer,
    lifecycleSince: since,
    lifecycleReason: reason,
    lifecycleActor: actor.name,
    holds: [{ kind: 'operator', reason, actor: actor.name, since }],
    triggers: { ...snapshot.triggers, allPaused: { reason, actor: actor.name, at: since } },
  }));
  return plan;
}

async function work(
  { journal, journalId }: ForkOptions,
  name: string,
  { from, at, set }: ForkOrder,
): Promise<{ readonly snapshot: ProcessSnapshot; readonly plan: ForkPlan }> {
  const { snapshot: then } = await readFromEntry(journal, from, at);
  const lineage: Lineage = { process: from, journalId, seq: at };
  const { snapshot, left } = forked(then, lineage, `${journalId}/${from}`, name, set);
  const unfinished = snapshot.open.map(({ event, effects }) => ({
    eventId: event.eventId,
    effects: effects.length,
  }));
  const plan: ForkPlan = {
    lineage,
    left,
    unfinished,
    contextKeys: Object.keys(snapshot.context).length,
    conversation: snapshot.conversation.length,
  };
  return { snapshot, plan };
}

/**
 * A process without a journal would begin without what it was forked with.
 * @throws `journal.required`
 */
export function refuseKeepingNothing({ name, config }: ProcessDefinition): void {
  if (config.journalLevel !== 'none') return;
  throw new AppError(
    'journal.required',
    `${name} would keep no journal, and a fork begins with what is in its own. Give it a journal level.`,
    { name },
  );
}

/** What a fork leaves that came no further, however often it was tried. */
const UNBEGUN: ReadonlySet<string> = new Set<EntryType>([
  'writer_opened',
  'journal_repaired',
  'clock_changed',
  'forked',
  'checkpoint',
]);
const LOOKED_AT = 1_000;

/** A name that has a journal is taken, but by the same fork that came no further than that. */
async function refuseTaken(journal: JournalProvider, name: string, { process, seq }: Lineage): Promise<void> {
  const { entries, before } = await journal.readLast(name, LOOKED_AT);
  const types = entries.map(({ entry_type: type }) => type);
  const begin = types.indexOf('forked');
  const isUnbegun = types.every((type) => UNBEGUN.has(type)) && (begin >= 0 || !types.includes('checkpoint'));
  const isSame = entries.every(
    ({ entry_type: type, data }) => type !== 'forked' || (data['process'] === process && data['seq'] === seq),
  );
  if (before === null && isUnbegun && isSame) return;
  throw new AppError(
    'fork.name-taken',
    `There is a journal of ${name} already, so a fork can't have that name. Choose another.`,
    { name },
  );
}

/** What lies beside the journal belongs to a process; each has its own. */
async function withOwnSpills(
  journal: JournalProvider,
  from: string,
  to: string,
  open: OpenInvocation,
): Promise<OpenInvocation> {
  const effects = await Promise.all(
    open.effects.map(async (effect): Promise<RecordedEffect> => {
      if (!isSpilled(effect)) return effect;
      const bytes = await journal.spilled(from, effect.end.spilled);
      // Lost there, it is lost here, and somebody will be asked.
      if (bytes === null) return effect;
      return { ...effect, end: { ...effect.end, spilled: await journal.spill(to, bytes) } };
    }),
  );
  const { event } = open;
  const bytes = event.spilled === undefined ? null : await journal.spilled(from, event.spilled);
  const own = bytes === null ? event : { ...event, spilled: await journal.spill(to, bytes) };
  return { ...open, event: own, effects };
}
