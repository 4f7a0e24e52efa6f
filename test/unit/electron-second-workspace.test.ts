import { describe, expect, test } from 'vitest';
import { secondWorkspace } from '../../electron/main/second-workspace.ts';

const live = { ok: true, value: { access: 'live' } } as const;
const lookedAt = { ok: true, value: { access: 'read-only' } } as const;
const failed = (code: string) => ({ ok: false, error: { code, message: 'no' } }) as const;

describe('a second launch with a workspace is not lost: a console runs one', () => {
  test('another one: its journal is looked at, and what to do is said', () => {
    const { shows, notice } = secondWorkspace('/b', '/a', lookedAt);
    expect(shows).toBe(true);
    expect(notice).toMatchObject({
      message: 'This console already runs /a. To run /b, quit it first, or start with another HOLDFAST_DATA.',
      tone: 'attention',
    });
  });

  test('the one that runs here: shown, and nothing is amiss', () => {
    expect(secondWorkspace('/a', '/a', live)).toEqual({ shows: true, notice: null });
    expect(secondWorkspace('/link-to-a', '/a', live)).toEqual({ shows: true, notice: null });
  });

  test.each(['journal.none-here', 'journal.not-a-journal', 'journal.empty'])(
    'one that was never run (%s) is no failure to look',
    (code) => {
      const { shows, notice } = secondWorkspace('/b', '/a', failed(code));
      expect(shows).toBe(false);
      expect(notice?.message).toContain('/b');
    },
  );

  test('one that is not there: that it is not, too', () => {
    expect(secondWorkspace('/b', '/a', failed('journal.not-found')).shows).toBe(true);
  });

  test('a console that only looks says so', () => {
    expect(secondWorkspace('/b', null, lookedAt).notice?.message).toMatch(/runs no workspace\. To run \/b/);
  });
});
