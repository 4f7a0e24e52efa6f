// "Why is it not moving?", or what it is doing, in one line. Pure: from what the journal says and, for a process that
// this host runs, from how things stand right now.

import { APPROVAL_PREFIX, QUESTION_NAME } from './approval.ts';
import { LIMITS } from './budget.ts';
import { doingText } from './doing.ts';
import { isInDoubt, needsOperator } from './effects.ts';
import type { Hold } from './holds.ts';
import type { OpenInvocation, ProcessSnapshot } from './snapshot.ts';
import { pauseOfAll } from './trigger-record.ts';
import { isMoment } from './time.ts';
import { nextDue } from './waits.ts';
import type { Saying } from './worker-protocol.ts';

/** What only the host that runs the process knows. */
export interface LiveFacts {
  readonly trouble: string | null;
  readonly hasWorker: boolean;
  readonly isSpawning: boolean;
  readonly isAnswering: boolean;
  /** Wants a worker, and other processes are before it in line. */
  readonly isInLine: boolean;
  /** What is seen of a model's call under way. */
  readonly saying?: (Saying & { readonly sinceMs: number }) | null;
  readonly respawnsAt: string | null;
  readonly restartsAt: string | null;
  readonly nextTrigger: { readonly id: string; readonly at: string } | null;
  /** What keeps one of its triggers from waking it. */
  readonly triggerProblem?: string | null;
  /** Its mission has had all its runs, and nothing begins before the last verdict. */
  readonly waitsForVerdict?: boolean;
}

export interface Why {
  /** Where there is a time, it leads up to it: "waiting for cron-1 at". */
  readonly text: string;
  /** ISO 8601. Whoever shows it does so in its own zone. */
  readonly at?: string;
  readonly tone: 'quiet' | 'working' | 'attention' | 'alarm';
}

/** Of any length in a journal, and more than this of none of them fits into a line. */
const MAX_REASON = 1_000;
const MAX_HOLDS = 10;
/** As code leaves them that says nothing of what it waits for. */
const UNNAMED_TIMERS: readonly string[] = ['sleep', 'until'];

export function whyOf(snapshot: Readonly<ProcessSnapshot>, live: LiveFacts | null): Why {
  if (live?.trouble) return { text: live.trouble, tone: 'alarm' };
  switch (snapshot.lifecycle) {
    case 'failed': {
      const reason = snapshot.lifecycleReason || 'no reason recorded';
      return live?.restartsAt
        ? { text: `${reason}; restarts at`, at: live.restartsAt, tone: 'alarm' }
        : { text: reason, tone: 'alarm' };
    }
    case 'suspended':
      return heldWhy(snapshot, live);
    case 'awaiting':
      if (live === null && snapshot.holds.length > 0) return heldWhy(snapshot, live);
      return { ...waitedFor(snapshot), tone: 'quiet' };
    case 'running':
      if (live === null && snapshot.holds.length > 0) return heldWhy(snapshot, live);
      return live === null ? recordedWork(snapshot) : liveWork(snapshot, live);
    case 'stopping':
      return { text: stoppingText(snapshot), tone: 'working' };
    default:
      return {
        text: snapshot.lifecycleReason || (snapshot.seq === 0 ? 'nothing recorded yet' : ''),
        tone: 'quiet',
      };
  }
}

function heldWhy(snapshot: Readonly<ProcessSnapshot>, live: LiveFacts | null): Why {
  const { holds, lifecycleReason } = snapshot;
  const until = holds.length === 1 && live !== null ? roomAt(snapshot) : null;
  const texts = holds.slice(0, MAX_HOLDS).map((hold) => {
    if (hold.kind === 'health' && live !== null) return `${holdText(hold)}; resume it, or stop it`;
    if (hold.kind !== 'budget' || live === null) return holdText(hold);
    const more = snapshot.budget.exceeded?.cap === undefined ? 'extend that limit' : 'raise that cap';
    return `${holdText(hold)}; ${more}, or ${until === null ? 'stop it' : 'it goes on at'}`;
  });
  const text = texts.join(' · ') || lifecycleReason;
  return until === null ? { text, tone: 'attention' } : { text, at: until, tone: 'attention' };
}

/** When what did not fit does by itself: another day makes room. A run has none, and its limit stays as long as it does. */
function roomAt({ holds, caps, budget: { period, exceeded } }: Readonly<ProcessSnapshot>): string | null {
  const isHeld = holds.some(({ kind }) => kind === 'budget');
  if (!isHeld || exceeded === null || LIMITS[exceeded.limit].scope === 'run') return null;
  return (exceeded.cap === undefined ? period : caps[exceeded.cap])?.until ?? null;
}

/** What invocations under way wait for: timers until when, promises by name. For a journal, so with the time in UTC. */
export function waitingFor(snapshot: Readonly<ProcessSnapshot>): string {
  const { text, at } = waitedFor(snapshot);
  return at === undefined ? text : `${text} ${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

function waitedFor({ open }: Readonly<ProcessSnapshot>): Pick<Why, 'text' | 'at'> {
  const waits = open.flatMap((invocation) => invocation.waits).filter(({ end }) => end === null);
  const promised = [...new Set(waits.filter(({ kind }) => kind === 'promise').map(({ name }) => name))];
  const asked = promised.filter((name) => askedWords(name) !== null);
  const promises = promised.filter((name) => askedWords(name) === null);
  const timers = waits.filter(({ kind, name }) => kind === 'timer' && !UNNAMED_TIMERS.includes(name));
  const due = nextDue(waits);
  const names = [...new Set(timers.map(({ name }) => name))].slice(0, MAX_HOLDS).join(', ');
  const parts = [
    ...asked.slice(0, MAX_HOLDS).flatMap((name) => askedWords(name) ?? []),
    promises.length === 0 ? '' : `promise ${promises.slice(0, MAX_HOLDS).join(', ')}`,
    names,
    due === null ? '' : `${promised.length + timers.length === 0 ? 'timer' : ''} until`.trim(),
    waits.length === 0 ? 'a signal' : '',
  ].filter((part) => part !== '');
  const text = `waiting for ${parts.join(', ')}`.slice(0, MAX_REASON);
  return due === null ? { text } : { text, at: new Date(due).toISOString() };
}

/** What a person is asked for; null for a promise of another kind. */
function askedWords(name: string): string | null {
  if (name === QUESTION_NAME) return 'an answer to a question';
  return name.startsWith(APPROVAL_PREFIX) ? `an approval of ${name.slice(APPROVAL_PREFIX.length)}` : null;
}

function holdText({ kind, reason: whole, actor }: Hold): string {
  const reason = whole.slice(0, MAX_REASON);
  switch (kind) {
    case 'in_doubt':
      return reason;
    case 'operator':
      return `by ${nameOf(actor)}${reason === '' ? '' : `: ${reason}`}`;
    case 'budget':
    case 'health':
    case 'mission':
    case 'idle':
    case 'quit':
    case 'gap':
    case 'trust':
      return `${kind}: ${reason}`;
  }
}

function stoppingText({ lifecycleActor, lifecycleReason }: Readonly<ProcessSnapshot>): string {
  return `asked by ${nameOf(lifecycleActor) || 'unknown'}: ${lifecycleReason.slice(0, MAX_REASON)}`;
}

function nameOf(actor: string): string {
  return actor.slice(0, MAX_REASON).replace(/^operator:/, '');
}

function liveWork(snapshot: Readonly<ProcessSnapshot>, live: LiveFacts): Why {
  if (live.respawnsAt !== null) {
    const death = snapshot.lastWorkerDeath ?? 'its worker died';
    return { text: `${death}; another starts at`, at: live.respawnsAt, tone: 'attention' };
  }
  if (!live.isAnswering)
    return { text: 'its worker has not answered the last heartbeats', tone: 'attention' };
  const open = snapshot.open[0];
  if (open !== undefined) return { ...openText(open, snapshot, live), tone: 'working' };
  const queued = snapshot.queue.length;
  if (queued > 0 && live.waitsForVerdict === true) {
    return { text: 'its mission has had all its runs: the last verdict is waited for', tone: 'working' };
  }
  if (queued > 0)
    return { text: `${queued} ${queued === 1 ? 'event' : 'events'} waiting for a worker`, tone: 'working' };
  const problem = live.triggerProblem ?? null;
  if (problem !== null)
    return { text: `a trigger does not work: ${problem.slice(0, MAX_REASON)}`, tone: 'attention' };
  const allPaused = pauseOfAll(snapshot.triggers);
  if (allPaused !== null) {
    const reason = allPaused.reason === '' ? '' : `: ${allPaused.reason.slice(0, MAX_REASON)}`;
    return { text: `its triggers are paused by ${nameOf(allPaused.actor)}${reason}`, tone: 'attention' };
  }
  const failed = failureText(snapshot);
  const tone = failed === '' ? 'quiet' : 'attention';
  if (live.nextTrigger === null) return { text: `${failed}waiting to be triggered`, tone };
  return { text: `${failed}waiting for ${live.nextTrigger.id} at`, at: live.nextTrigger.at, tone };
}

/** As long as the newest run is one that failed: what waits to be triggered again looks as if all were well. */
function failureText({ consecutiveFailures, lastError }: Readonly<ProcessSnapshot>): string {
  if (consecutiveFailures === 0) return '';
  const why = (lastError?.message ?? '').slice(0, MAX_REASON);
  return `its last run failed${why === '' ? '' : `: ${why}`}; `;
}

function openText(
  open: OpenInvocation,
  { open: { length: count }, tools }: Readonly<ProcessSnapshot>,
  live: LiveFacts,
): Pick<Why, 'text' | 'at'> {
  const more = count > 1 ? ` and ${count - 1} more` : '';
  const effect = open.effects.findLast(isInDoubt);
  const wait = live.saying?.wait ?? null;
  if (effect !== undefined && wait !== null) return waitText(wait);
  if (effect !== undefined) {
    const doing = doingText(effect, open, tools, live.saying?.model ?? '');
    const text = `${doing} in invocation ${open.invocation}${more}`;
    const since = Date.parse(effect.announcedAt);
    return isMoment(since) ? { text: `${text}, since`, at: new Date(since).toISOString() } : { text };
  }
  if (open.retryAt !== null) {
    const others = count > 1 ? `, ${count - 1} more under way` : '';
    const text = `attempt ${open.attempt} of ${open.event.triggerId} failed${others}; the next begins at`;
    return { text, at: open.retryAt };
  }
  const doing = live.hasWorker
    ? 'handling'
    : live.isSpawning
      ? 'starting a worker for'
      : live.isInLine
        ? 'in line for a worker for'
        : 'waiting for a worker for';
  return { text: `${doing} ${open.event.triggerId}, invocation ${open.invocation}${more}` };
}

function waitText({ text: whole, untilMs }: NonNullable<Saying['wait']>): Pick<Why, 'text' | 'at'> {
  const text = whole.slice(0, MAX_REASON);
  return untilMs === null || !isMoment(untilMs)
    ? { text }
    : { text: `${text} at`, at: new Date(untilMs).toISOString() };
}

function recordedWork(snapshot: Readonly<ProcessSnapshot>): Why {
  const doubts = snapshot.open.flatMap((open) => open.effects).filter(needsOperator).length;
  const parts = [
    snapshot.open.length > 0 ? `${snapshot.open.length} unfinished` : '',
    doubts > 0 ? `${doubts} in doubt` : '',
    snapshot.queue.length > 0 ? `${snapshot.queue.length} queued` : '',
  ].filter((part) => part !== '');
  return { text: parts.join(' · '), tone: doubts > 0 ? 'attention' : 'quiet' };
}
