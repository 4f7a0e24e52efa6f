// Every state and every event, against a table written a second time [S35].

import { describe, expect, test } from 'vitest';
import {
  isActive,
  isLifecycleState,
  LIFECYCLE_STATES,
  nextStates,
  transition,
  LIFECYCLE_EVENTS,
  type LifecycleEvent,
  type LifecycleState,
} from '../../core/model/lifecycle.ts';

/** Rows in the order of LIFECYCLE_EVENTS; `.` is refused. */
const TABLE: Readonly<Record<LifecycleState, string>> = {
  //            start    started suspend   resume  await    wake    stop     stopped fail
  created: '    starting .       .         .       .        .       stopped  .       .     ',
  starting: '   .        running .         .       .        .       stopping .       failed',
  running: '    .        .       suspended .       awaiting .       stopping .       failed',
  suspended: '  .        .       .         running awaiting .       stopping .       failed',
  awaiting: '   .        .       suspended .       .        running stopping .       failed',
  stopping: '   .        .       .         .       .        .       .        stopped failed',
  stopped: '    starting .       .         .       .        .       .        .       .     ',
  failed: '     starting .       .         .       .        .       stopping .       .     ',
};

const CELLS = LIFECYCLE_STATES.flatMap((state) =>
  TABLE[state]
    .trim()
    .split(/\s+/)
    .map((to, at) => [state, LIFECYCLE_EVENTS[at]!, to] as const),
);

test('the table has a cell for every state and every event', () => {
  expect(CELLS.length).toBe(LIFECYCLE_STATES.length * LIFECYCLE_EVENTS.length);
});

test.each(CELLS.filter(([, , to]) => to !== '.'))('%s, %s: %s', (state, event, to) => {
  expect(transition(state, event)).toMatchObject({ ok: true, state: to });
});

test.each(CELLS.filter(([, , to]) => to === '.'))('%s, %s: refused', (state, event) => {
  expect(transition(state, event)).toMatchObject({
    ok: false,
    error: {
      code: 'process.illegal-transition',
      detail: { state, event },
      message: expect.stringContaining(`${state} can't ${event}`) as string,
    },
  });
});

describe('the shape of the table', () => {
  test('[S35] no state leads to itself, and awaiting and suspended lead to each other', () => {
    for (const state of LIFECYCLE_STATES) expect(nextStates(state)).not.toContain(state);
    expect(nextStates('awaiting')).toContain('suspended');
    expect(nextStates('suspended')).toContain('awaiting');
  });

  test('a refusal names what is possible', () => {
    const refused = transition('stopped', 'suspend');
    expect(refused.ok ? '' : refused.error.message).toBe(
      "A process that is stopped can't suspend. From stopped it can: start.",
    );
  });

  test('from every state a stopped one can be reached, and from a stopped one a running one', () => {
    const reachable = (from: LifecycleState): ReadonlySet<string> => {
      const seen = new Set<LifecycleState>();
      const look = (state: LifecycleState): void => {
        for (const next of nextStates(state)) {
          if (seen.has(next)) continue;
          seen.add(next);
          look(next);
        }
      };
      look(from);
      return seen;
    };
    for (const state of LIFECYCLE_STATES) {
      expect(reachable(state)).toContain('stopped');
      expect(reachable(state)).toContain('running');
    }
  });

  test('triggers open on becoming active and close on ceasing to be; a checkpoint is taken on every rest', () => {
    const commands = (state: LifecycleState, event: LifecycleEvent): readonly string[] => {
      const result = transition(state, event);
      return result.ok ? result.commands : [];
    };
    expect(commands('starting', 'started')).toContain('open-triggers');
    for (const state of ['starting', 'running', 'suspended', 'awaiting'] as const) {
      expect(commands(state, 'stop')).toContain('close-triggers');
      expect(commands(state, 'fail')).toEqual(['close-triggers', 'release-workers', 'consider-restart']);
    }
    for (const [state, event] of [
      ['running', 'suspend'],
      ['awaiting', 'suspend'],
      ['running', 'await'],
      ['stopping', 'stopped'],
    ] as const) {
      expect(commands(state, event)).toContain('checkpoint');
    }
  });

  test('what is no state of ours is known for none, whatever objects are called', () => {
    for (const word of ['', 'Running', 'paused', '__proto__', 'constructor', 'toString']) {
      expect(isLifecycleState(word)).toBe(false);
    }
    expect(LIFECYCLE_STATES.filter((state) => !isActive(state))).toEqual(['created', 'stopped', 'failed']);
  });
});
