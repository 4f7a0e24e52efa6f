// `ctx.promise`, `ctx.sleep` and `ctx.until`: what an invocation waits for, also while no worker holds it.

import { createHash } from 'node:crypto';
import { AppError } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import { refuseTooLarge } from '../model/limits.ts';
import type { DurableWait, WaitEnd } from '../model/waits.ts';
import type { AgentContext, DurablePromise } from './define-agent.ts';
import { PromiseExpired, PromiseRejected } from './effect-errors.ts';
import type { RunScope } from './run-scope.ts';

/** Ten years: beyond it a duration is a slip of the unit. */
const MAX_DURATION_MS = 10 * 366 * 24 * 60 * 60 * 1000;
const MAX_NAME = 200;
const SLEEP = 'sleep';

export type DurableWaits = Pick<AgentContext, 'promise' | 'sleep' | 'until'> & {
  /** One of them has come to its end. */
  readonly ended: (waitId: string, end: WaitEnd) => void;
};

export function waitKey(waitId: string): string {
  return `wait ${waitId}`;
}

interface Asked {
  readonly kind: DurableWait['kind'];
  readonly name: string;
  readonly data: Json;
  readonly dueInMs: number | null;
  readonly dueAt: number | null;
}

export function durableWaits(scope: RunScope): DurableWaits {
  const { event, record } = scope.invoke;
  const { attemptSeq, seed, inheritedBy } = record;
  const records = new Map(record.waits.map((wait) => [wait.waitId, wait]));
  const unasked = new Map([...records].filter(([, { seq }]) => seq > attemptSeq));
  const occurrences = new Map<string, number>();
  const live = new Map<string, (end: WaitEnd) => void>();
  /** Ended before their code asked again. */
  const early = new Map<string, WaitEnd>();

  scope.addLeftover(() => {
    for (const { seq, kind, name, occurrence } of unasked.values())
      return { seq, text: `${kind} ${name}#${occurrence}` };
    return undefined;
  });

  /** What a fork took over has the ids that it had; whatever it begins is its own [S40]. */
  const taken =
    inheritedBy === ''
      ? new Map<string, string>()
      : new Map(
          record.waits.map(({ kind, name, occurrence, waitId }) => [`${kind} ${name}#${occurrence}`, waitId]),
        );

  const idOf = (kind: DurableWait['kind'], name: string, occurrence: number): string => {
    if (kind === 'timer') return `${event.eventId}/${name}#${occurrence}`;
    const known = taken.get(`${kind} ${name}#${occurrence}`);
    if (known !== undefined) return known;
    // Whoever holds the id may settle the promise, so it can't be worked out from what is not secret.
    const whose = inheritedBy === '' ? seed : `${seed}/${inheritedBy}`;
    const hash = createHash('sha256').update(`${whose}/${event.eventId}/${name}#${occurrence}`);
    return `p_${hash.digest('base64url').slice(0, 22)}`;
  };

  const begin = (asked: Asked): { readonly waitId: string; readonly end: Promise<WaitEnd> } => {
    const { kind, name } = asked;
    const place = `${kind} ${name}`;
    const occurrence = occurrences.get(place) ?? 0;
    occurrences.set(place, occurrence + 1);
    const waitId = idOf(kind, name, occurrence);
    unasked.delete(waitId);
    scope.asked();
    const recorded = records.get(waitId);
    if (recorded?.end != null) {
      const { end } = recorded;
      const endSeq = recorded.endSeq ?? 0;
      const isThisAttempt = endSeq > attemptSeq;
      const turn = isThisAttempt ? scope.deliveries.turn(waitKey(waitId)) : scope.deliveries.soon(endSeq);
      return { waitId, end: turn.then(() => end) };
    }
    const end = new Promise<WaitEnd>((resolve) => {
      const before = early.get(waitId);
      if (before === undefined) live.set(waitId, resolve);
      else scope.deliveries.live(() => resolve(before));
    });
    if (recorded === undefined) announce(waitId, occurrence, asked);
    return { waitId, end };
  };

  const announce = (waitId: string, occurrence: number, asked: Asked): void => {
    const tell = (): void => scope.send({ type: 'wait-began', waitId, occurrence, ...asked });
    scope.lineUp(`${asked.kind} ${asked.name}#${occurrence}`, tell).catch(() => {}); // a divergence ends the run
  };

  /** Until it ends, a run in which nothing else goes on waits for it. */
  const awaiting = async (waitId: string, end: Promise<WaitEnd>): Promise<WaitEnd> => {
    const done = scope.waits(waitId);
    try {
      return await end;
    } finally {
      done();
    }
  };

  const promise: AgentContext['promise'] = <T extends Json>(
    named: string,
    { data = null, expiresInMs }: { readonly data?: Json; readonly expiresInMs?: number } = {},
  ): DurablePromise<T> => {
    const name = scope.secrets.json(named);
    const what = `ctx.promise(${JSON.stringify(name)})`;
    scope.refuseUnlessOpen(what);
    scope.refuseUnlessDurable(what);
    checkName('promise', name);
    if (expiresInMs !== undefined) checkDuration(`The promise ${name}`, expiresInMs);
    const kept = scope.secrets.json(recordable(data, `the data of the promise ${name}`));
    refuseTooLarge('promise', `What goes with the promise ${name}`, kept);
    const dueInMs = expiresInMs ?? null;
    const { waitId, end } = begin({ kind: 'promise', name, data: kept, dueInMs, dueAt: null });
    const value = awaiting(waitId, end).then((settled) => valueOf<T>(name, settled));
    value.catch(() => {}); // Code may never ask what became of it.
    return Object.assign(value, { id: waitId });
  };

  const sleep: AgentContext['sleep'] = async (duration, named = SLEEP) => {
    const name = scope.secrets.json(named);
    scope.refuseUnlessOpen('ctx.sleep');
    scope.refuseUnlessDurable('ctx.sleep');
    checkName('timer', name);
    const { waitId, end } = begin({ kind: 'timer', name, data: null, ...dueOf(duration) });
    await awaiting(waitId, end);
  };

  const until: AgentContext['until'] = async (predicate, { timeoutMs } = {}) => {
    scope.refuseUnlessOpen('ctx.until');
    if (timeoutMs !== undefined) scope.refuseUnlessDurable('ctx.until with a time-out');
    const isMet = (): boolean => scope.within('the condition of ctx.until', predicate);
    if (isMet()) return true;
    const timer =
      timeoutMs === undefined
        ? null
        : begin({ kind: 'timer', name: 'until', data: null, ...dueOf(timeoutMs) });
    const done = scope.waits(timer === null ? null : timer.waitId);
    let stop = (): void => {};
    const met = new Promise<true>((resolve, reject) => {
      stop = scope.afterEach(() => {
        try {
          if (isMet()) resolve(true);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    try {
      return await Promise.race([met, ...(timer === null ? [] : [timer.end.then(() => false)])]);
    } finally {
      stop();
      done();
    }
  };

  return {
    promise,
    sleep,
    until,
    ended: (waitId, end) => {
      const settle = live.get(waitId);
      live.delete(waitId);
      if (settle === undefined) early.set(waitId, end);
      else scope.deliveries.live(() => settle(end));
    },
  };
}

function valueOf<T extends Json>(name: string, end: WaitEnd): T {
  switch (end.status) {
    case 'resolved':
      return recordable(end.value) as T;
    case 'rejected':
      throw new PromiseRejected(name, end.error);
    case 'expired':
      throw new PromiseExpired(name);
    case 'fired':
      return null as T;
  }
}

function dueOf(duration: Parameters<AgentContext['sleep']>[0]): Pick<Asked, 'dueInMs' | 'dueAt'> {
  if (typeof duration === 'number') {
    checkDuration('ctx.sleep', duration);
    return { dueInMs: duration, dueAt: null };
  }
  const dueAt = Number(duration.until);
  if (Number.isFinite(dueAt) && Math.abs(dueAt) < 8.64e15) return { dueInMs: null, dueAt };
  throw new AppError('wait.bad-duration', `ctx.sleep got ${String(duration.until)}, which is no moment.`);
}

function checkDuration(what: string, duration: unknown): void {
  if (typeof duration === 'number' && duration >= 0 && duration <= MAX_DURATION_MS) return;
  throw new AppError(
    'wait.bad-duration',
    `${what} got ${String(duration)}, and must have a number of milliseconds from 0 to ${MAX_DURATION_MS}.`,
  );
}

function checkName(what: string, name: unknown): void {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME) return;
  throw new AppError('wait.bad-name', `A ${what}'s name is a text of 1 to ${MAX_NAME} characters.`);
}
