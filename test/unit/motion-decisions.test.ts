// What a process does by itself, decided from its snapshot alone.

import { describe, expect, test } from 'vitest';
import type { Overrun } from '../../core/model/budget-state.ts';
import type { Hold, HoldKind } from '../../core/model/holds.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import {
  endsWith,
  liftedAtStart,
  mayHaveTriggers,
  whyFailed,
  whyIdle,
  whyStillHeld,
  whyTooOld,
} from '../../core/runtime/motion-decisions.ts';

const hold = (kind: HoldKind, reason = ''): Hold => ({ kind, reason, actor: 'host', since: '' });
const snapshotWith = (more: Partial<ProcessSnapshot>): ProcessSnapshot => ({ ...emptySnapshot(), ...more });

describe('a process that its host finds held', () => {
  const found = (kinds: readonly HoldKind[], lifecycleActor = 'host') =>
    snapshotWith({ holds: kinds.map((kind) => hold(kind)), lifecycleActor });

  test('loses what the host itself held it with, and nothing that a person decides [S34]', () => {
    expect(liftedAtStart(found(['quit']), false)).toEqual(['quit']);
    expect(liftedAtStart(found(['operator', 'quit', 'budget']), false)).toEqual(['quit']);
    expect(liftedAtStart(found(['operator', 'health', 'mission', 'gap', 'trust']), true)).toBeNull();
  });

  test('loses a doubt that was decided right before a crash, and no other [S34]', () => {
    expect(liftedAtStart(found(['in_doubt']), true)).toEqual(['in_doubt']);
    expect(liftedAtStart(found(['in_doubt']), false)).toBeNull();
  });

  test('resumes where a crash came between the last hold and the step, and not by a foreign journal', () => {
    expect(liftedAtStart(found([]), true)).toEqual([]);
    expect(liftedAtStart(found([], ''), true)).toBeNull();
  });

  test('says why it does not go on, in the words of the first hold', () => {
    expect(whyStillHeld({ holds: [hold('operator', 'a look'), hold('budget')] })).toBe('still held: a look');
    expect(whyStillHeld({ holds: [hold('budget')] })).toBe('still held: budget');
    expect(whyStillHeld({ holds: [] })).toBeNull();
  });

  test('has its triggers on, unless nobody knows whether its journal is the one that counts [S10]', () => {
    expect(mayHaveTriggers(found(['operator', 'quit', 'health']))).toBe(true);
    expect(mayHaveTriggers(found(['operator', 'gap']))).toBe(false);
  });
});

test('as many failures in a row as the manifest allows are one too many', () => {
  const lastError = { code: 'agent.threw', message: 'no route', at: '' };
  const after = (consecutiveFailures: number) =>
    whyFailed({ maxConsecutiveFailures: 3 }, snapshotWith({ consecutiveFailures, lastError }));
  expect(after(2)).toBeNull();
  expect(after(3)).toBe('3 failures in a row, the last: no route');
});

test('only its own limit ends a process: what others used up it waits for [S21]', () => {
  const of: Overrun = {
    limit: 'max_runs_per_day',
    max: 1,
    spent: 1,
    reserved: 0,
    asked: 1,
    eventId: null,
  };
  expect(endsWith(of, 'stop')).toBe(true);
  expect(endsWith(of, 'pause')).toBe(false);
  expect(endsWith(of, 'escalate')).toBe(false);
  expect(endsWith({ ...of, cap: 'workspace' }, 'stop')).toBe(false);
  expect(endsWith({ ...of, of: 'parent' }, 'stop')).toBe(false);
});

describe('as time goes by', () => {
  const startedAt = '2026-01-01T00:00:00.000Z';
  const at = (ms: number): number => Date.parse(startedAt) + ms;
  const aged = (lifecycle: string, ms: number, maxLifetimeMs = 60_000) =>
    whyTooOld({ maxLifetimeMs }, snapshotWith({ lifecycle, startedAt }), at(ms));

  test('a process has lived long enough to the millisecond, while it lives, where there is a limit', () => {
    expect(aged('running', 59_999)).toBeNull();
    expect(aged('running', 60_000)).toContain('60 s');
    expect(aged('awaiting', 60_000)).toContain('60 s');
    expect(aged('suspended', 60_000)).toBeNull();
    expect(aged('running', 60_000, 0)).toBeNull();
    expect(
      whyTooOld({ maxLifetimeMs: 1 }, snapshotWith({ lifecycle: 'running', startedAt: null }), at(9)),
    ).toBeNull();
  });

  test('a process is idle that runs and has nothing at all to do', () => {
    const idle = (more: Partial<ProcessSnapshot>, idleMs = 2_001, idleTimeoutMs = 2_000) =>
      whyIdle({ idleTimeoutMs }, snapshotWith({ lifecycle: 'running', ...more }), idleMs);
    expect(idle({})).toBe('no event for 2 s');
    expect(idle({}, 2_000)).toBeNull();
    expect(idle({}, 2_001, 0)).toBeNull();
    expect(idle({ lifecycle: 'suspended' })).toBeNull();
    const event = { eventId: 'e', triggerId: 't', triggerType: 'manual', payload: null, acceptedAt: '' };
    expect(idle({ queue: [event] })).toBeNull();
  });
});
