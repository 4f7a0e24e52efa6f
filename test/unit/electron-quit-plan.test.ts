import { describe, expect, test } from 'vitest';
import { closePlan, mayReload, quitPlan } from '../../electron/main/quit-plan.ts';

describe('quitting asks only while an invocation is under way', () => {
  test('nothing under way: it quits', () => {
    expect(quitPlan([], false)).toEqual({ kind: 'quit' });
  });

  test('somebody who can’t answer is not asked', () => {
    expect(quitPlan(['clerk'], true)).toEqual({ kind: 'quit' });
  });

  test('the question names the processes, and the way out comes first by default', () => {
    expect(quitPlan(['clerk'], false)).toMatchObject({
      kind: 'ask',
      message: 'A process is in the middle of an invocation.',
      buttons: ['Suspend All and Quit', 'Cancel'],
    });
  });

  test('a question about five hundred stays a question', () => {
    const plan = quitPlan(
      Array.from({ length: 500 }, (_, n) => `p${String(n)}`),
      false,
    );
    expect(plan).toMatchObject({ message: '500 processes are in the middle of an invocation.' });
    expect(plan.kind === 'ask' && plan.detail).toContain('p0, p1, p2, p3 and 496 more.');
  });
});

describe('closing the window', () => {
  const usual = { underWay: 2, hasTray: true, hideOnClose: true, quitting: false };
  test.each([
    ['hide', {}, 'processes run and the tray brings it back'],
    ['close', { hasTray: false }, 'no tray would bring it back'],
    ['close', { underWay: 0 }, 'nothing runs'],
    ['close', { hideOnClose: false }, 'the operator wants it so'],
    ['close', { quitting: true }, 'the application ends'],
  ] as const)('%s %j: %s', (plan, given, _why) => {
    expect(closePlan({ ...usual, ...given })).toBe(plan);
  });
});

test('a page that crashes is loaded again, but not for ever', () => {
  expect(mayReload([0])).toBe(true);
  expect(mayReload([0, 1_000])).toBe(true);
  expect(mayReload([0, 1_000, 2_000])).toBe(false);
  expect(mayReload([0, 1_000, 90_000])).toBe(true);
});
