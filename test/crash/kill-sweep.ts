// The life of an agent from its first event to its last, with a kill in it at a place that is chosen: of its worker, of its
// host, or of both. Whatever is killed is started again until everything is done; then the life is judged by the ledger,
// which nobody kills, by its journal, and by what a life without a kill comes to.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { readFileJournal } from '../../core/journal/index.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { isObject, textAt, type Json } from '../../core/model/json.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { askLedger } from '../support/ask-ledger.ts';
import { startNode } from '../support/child.ts';
import type { LifeLedger } from '../support/effect-ledger.ts';
import { AGENT, type Kill, type SweptOrder } from '../support/swept-life.ts';
import { waitFor } from '../support/wait-for.ts';
import { unreportedDoubts } from './doubts.ts';
import { below } from './random.ts';

const HOST = fileURLToPath(new URL('../support/swept-host.ts', import.meta.url));
const LEDGER = fileURLToPath(new URL('../support/effect-ledger.ts', import.meta.url));

const EVENTS = 3;
/** Of one host; the machine may have much else to do. */
const PATIENCE_MS = 120_000;
/** Kills in one life, after which its hosts are left alone. */
const MOST_KILLS = 4;
/** Of one invocation of the swept agent. */
const EFFECTS = ['quote', 'charge', 'order', 'mail', 'left', 'middle', 'right'] as const;

export const PROBLEMS = [
  'lost event',
  'wrong state',
  'silent repeat',
  'unreported doubt',
  'damaged journal',
  'no end',
] as const;
export type SweepProblem = { readonly kind: (typeof PROBLEMS)[number]; readonly text: string };

export interface LifeTally {
  /** Kills that found somebody. */
  readonly kills: number;
  /** Entries of its journal in the end. */
  readonly entries: number;
  readonly problems: readonly SweepProblem[];
}

export interface Sweep {
  /** How many entries a life without a kill writes. */
  readonly positions: number;
  /** Lives a life with these kills, one for each host in turn. */
  live(kills: readonly Kill[]): Promise<LifeTally>;
  close(): Promise<void>;
}

/** Starts the ledger and lives one life without a kill, to which all others are compared. @throws Error when that goes wrong */
export async function startSweep(directory: string): Promise<Sweep> {
  const socket = join(directory, 'ledger.socket');
  const ledger = startNode(LEDGER, [socket]);
  await waitFor(() => ledger.stdout() !== '' || ledger.process.exitCode !== null, { what: 'the ledger' });
  let lives = 0;
  const next = (kills: readonly Kill[]): Promise<Lived> => {
    lives += 1;
    return liveOnce({
      directory: join(directory, `life-${lives}`),
      life: String(lives),
      ledger: socket,
      kills,
    });
  };
  const undisturbed = await next([]);
  const { tally, state: expected } = undisturbed;
  if (tally.problems.length > 0) throw new Error(`without a kill: ${JSON.stringify(tally.problems)}`);
  return {
    positions: tally.entries,
    live: async (kills) => {
      const { tally: lived, state } = await next(kills);
      const wrong: SweepProblem[] = isDeepStrictEqual(state, expected)
        ? []
        : [{ kind: 'wrong state', text: `${JSON.stringify(state)} instead of ${JSON.stringify(expected)}` }];
      const where = JSON.stringify(kills);
      const problems = [...lived.problems, ...wrong].map(({ kind, text }) => ({
        kind,
        text: `${text}, after the kills ${where}`,
      }));
      return { ...lived, problems };
    },
    close: async () => {
      ledger.process.kill('SIGKILL');
      await ledger.ended;
    },
  };
}

/** Somebody is killed at random inside of effects, again and again. */
export function randomKills(random: () => number): readonly Kill[] {
  return Array.from({ length: 1 + below(random, MOST_KILLS) }, () => ({
    victim: (['worker', 'host', 'both'] as const)[below(random, 3)]!,
    at: { effect: 1 + below(random, EVENTS * EFFECTS.length), delayMs: below(random, 12) },
  }));
}

interface Life {
  readonly directory: string;
  readonly life: string;
  readonly ledger: string;
  readonly kills: readonly Kill[];
}

interface Lived {
  readonly tally: LifeTally;
  /** What it came to, without what differs from life to life. */
  readonly state: Json;
}

async function liveOnce({ directory, life, ledger, kills }: Life): Promise<Lived> {
  const problems: SweepProblem[] = [];
  let killed = 0;
  for (let host = 0; ; host += 1) {
    const kill = kills[host] ?? null;
    const order: SweptOrder = { directory, ledger, life, events: EVENTS, kill };
    const { code, signal, stdout, stderr } = await endOf(order);
    if (/^killed (worker|host|both)$/m.test(stdout)) killed += 1;
    if (stderr !== '') problems.push({ kind: 'wrong state', text: `the host says: ${stderr}` });
    if (code === 0) break;
    // One that hangs is killed as well, after enough time.
    const wasKilled = signal === 'SIGKILL' && /^killed (host|both)$/m.test(stdout);
    if (wasKilled) continue;
    problems.push({
      kind: 'no end',
      text: signal === null ? `it ended with ${code}` : 'it goes on for ever',
    });
    break;
  }
  const journal = readFileJournal(directory);
  const entries = await journal.read(AGENT);
  const { snapshot, damage } = await new ReplayEngine(journal).recover(AGENT);
  const { processes } = await verifyJournal(directory);
  const found = [...damage, ...processes.flatMap((report) => report.damage)];
  problems.push(
    ...found.map(({ seq, reason }) => ({ kind: 'damaged journal' as const, text: `${seq}: ${reason}` })),
  );
  if (!isDeepStrictEqual(snapshot, foldEntries(entries))) {
    problems.push({ kind: 'wrong state', text: 'its checkpoints give another state than its first line' });
  }
  const book = await askLedger(ledger, { op: 'life', life });
  problems.push(
    ...lostEvents(entries, book),
    ...silentRepeats(book, killed),
    ...unreportedDoubts(entries, book.asked),
  );
  return { tally: { kills: killed, entries: entries.length, problems }, state: stateOf(snapshot) };
}

/** One host, until it has done everything, is killed, or has had more than enough time. */
async function endOf(order: SweptOrder): ReturnType<typeof startNode>['ended'] {
  const host = startNode(HOST, [JSON.stringify(order)]);
  const timer = setTimeout(() => host.process.kill('SIGKILL'), PATIENCE_MS);
  try {
    return await host.ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Ids and times differ, and so does which of the invocations that wait side by side ends first. */
function stateOf(snapshot: ProcessSnapshot): Json {
  const { lifecycle, holds, context, invocationCount, conversation, queue, open, deadLetters } = snapshot;
  return {
    lifecycle,
    holds: holds.map(({ kind }) => kind),
    context: Object.fromEntries(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))),
    invocationCount,
    conversation: conversation.map((said) => `${textAt(said, 'role')}: ${textAt(said, 'content')}`).sort(),
    unfinished: queue.length + open.length + deadLetters.length,
    failures: snapshot.consecutiveFailures,
  };
}

/** Each event, and each that its source was told is accepted, ends once. */
function lostEvents(entries: readonly StoredEntry[], { accepted }: LifeLedger): SweepProblem[] {
  const problems: SweepProblem[] = [];
  const events = new Map<string, unknown>();
  const ends = new Map<string, number>();
  for (const { entry_type, data } of entries) {
    const eventId = textAt(data, 'event_id');
    if (entry_type === 'trigger_event') {
      events.set(eventId, isObject(data['payload']) ? data['payload']['n'] : null);
    }
    if (entry_type === 'invocation_result') ends.set(eventId, (ends.get(eventId) ?? 0) + 1);
  }
  const lost = (text: string): void => void problems.push({ kind: 'lost event', text });
  for (const eventId of accepted) if (!events.has(eventId)) lost(`${eventId} was accepted and is not there`);
  for (const [eventId, n] of events) {
    const count = ends.get(eventId) ?? 0;
    if (count !== 1) lost(`event ${String(n)} ended ${count} times`);
  }
  const payloads = new Set(events.values());
  if (payloads.size !== EVENTS || events.size !== EVENTS)
    lost(`of ${EVENTS} events ${events.size} are there`);
  return problems;
}

/** What is in the world more often than it may be, or not at all. */
function silentRepeats({ acts, repeats }: LifeLedger, kills: number): SweepProblem[] {
  const problems: SweepProblem[] = [];
  for (let n = 1; n <= EVENTS; n += 1) {
    for (const effect of EFFECTS) {
      const done = acts.filter((act) => act.n === n && act.effect === effect);
      const keys = new Set(
        [...done, ...repeats.filter((act) => act.n === n && act.effect === effect)].map(({ key }) => key),
      );
      const most = done[0]?.effectClass === 'retry' ? 1 + kills : 1;
      if (done.length === 0) {
        problems.push({ kind: 'wrong state', text: `${effect} of ${n} is on record and never happened` });
      }
      if (done.length > most) {
        problems.push({
          kind: 'silent repeat',
          text: `${effect} of ${n}, of class ${done[0]!.effectClass}, happened ${done.length} times`,
        });
      }
      if (keys.size > 1) {
        problems.push({
          kind: 'silent repeat',
          text: `${effect} of ${n} was asked for under ${keys.size} keys`,
        });
      }
    }
  }
  return problems;
}
