// What people may write to an agent is what its manifest says: how long, how many, how often, and for how long. [C21]

import { describe, expect, test } from 'vitest';
import { processOf } from '../../core/manifest/process-of.ts';
import { DEFAULT_INBOX, type InboxLimits, type InboxMessage } from '../../core/model/inbox.ts';
import { InboxLimiter } from '../../core/runtime/inbox-limiter.ts';
import { bench, OPERATOR } from '../support/runtime.ts';

const HOUR = 3_600_000;
const LIMITS: InboxLimits = {
  isEnabled: true,
  maxMessages: 2,
  maxLength: 10,
  defaultTtlMs: 60_000,
  maxTtlMs: 90_000,
  ratePerSender: 3,
};

const letter = (over: object = {}) => ({
  process: 'a',
  sender: 'me',
  content: 'hello',
  expiresInMs: null,
  ...over,
});
const waiting = (expiresAt: string | null): InboxMessage => ({
  messageId: 'm',
  messageType: 'context',
  content: 'x',
  sender: 'me',
  priority: 'normal',
  createdAt: '2026-01-05T09:00:00+00:00',
  expiresAt,
});
const coded = (code: string) => expect.objectContaining({ code }) as Error;

describe('of a manifest', () => {
  const inboxOf = (text: string) =>
    processOf({ directory: '/', path: '/a.agent' }, `name: a\n${text}\n`, {}).definition?.config.inbox;

  test('Promptise’s keys and defaults; without the section people may write all the same', () => {
    expect(inboxOf('')).toEqual(DEFAULT_INBOX);
    expect(inboxOf('config: { inbox: {} }')).toEqual({
      isEnabled: true,
      maxMessages: 50,
      maxLength: 2_000,
      defaultTtlMs: HOUR,
      maxTtlMs: 24 * HOUR,
      ratePerSender: 20,
    });
    expect(inboxOf('config: { inbox: { enabled: false, default_ttl: 0, max_ttl: 0 } }')).toMatchObject({
      isEnabled: false,
      defaultTtlMs: null,
      maxTtlMs: null,
    });
  });
});

describe('what is taken', () => {
  test('a time of its own is kept up to the longest; who gives none gets the usual', () => {
    const inbox = new InboxLimiter({ ...LIMITS, ratePerSender: null });
    expect(inbox.take(letter(), [], 0)).toBe(60_000);
    expect(inbox.take(letter({ expiresInMs: 5 }), [], 0)).toBe(5);
    expect(inbox.take(letter({ expiresInMs: 10 * HOUR }), [], 0)).toBe(90_000);
    expect(new InboxLimiter(DEFAULT_INBOX).take(letter(), [], 0)).toBeNull();
  });

  test('not what is too long, too many, or written where nobody may write', () => {
    const inbox = new InboxLimiter(LIMITS);
    expect(() => inbox.take(letter({ content: '  ' }), [], 0)).toThrow(coded('inbox.bad-message'));
    expect(() => inbox.take(letter({ content: 'x'.repeat(11) }), [], 0)).toThrow(coded('inbox.bad-message'));
    const now = Date.parse('2026-01-05T10:00:00Z');
    const two = [waiting(null), waiting('2026-01-05T11:00:00+00:00')];
    expect(() => inbox.take(letter(), two, now)).toThrow(coded('inbox.full'));
    // What has expired takes no room.
    expect(inbox.take(letter(), [two[0]!, waiting('2026-01-05T09:59:00+00:00')], now)).toBe(60_000);
    expect(() => new InboxLimiter({ ...LIMITS, isEnabled: false }).take(letter(), [], 0)).toThrow(
      coded('inbox.disabled'),
    );
  });

  test('each sender as often as it may in any hour, and what was refused does not count', () => {
    const inbox = new InboxLimiter(LIMITS);
    for (const at of [0, 1, 2]) inbox.take(letter(), [], at);
    expect(() => inbox.take(letter(), [], 3)).toThrow(coded('inbox.too-often'));
    expect(() => inbox.take(letter(), [], HOUR - 1)).toThrow(coded('inbox.too-often'));
    expect(inbox.take(letter({ sender: 'you' }), [], 3)).toBe(60_000);
    expect(inbox.take(letter(), [], HOUR)).toBe(60_000);
    expect(() => inbox.take(letter(), [], HOUR)).toThrow(coded('inbox.too-often'));
  });
});

test('[P7] a message that is refused leaves nothing in the journal', async () => {
  const b = await bench('', { inbox: { ...LIMITS, maxMessages: 1 } });
  const write = (messageId: string, content: string) =>
    b.process.desk.writeInbox(
      { messageId, type: 'directive', content, priority: 'normal', expiresInMs: null },
      OPERATOR,
    );
  await write('one', 'first');
  await expect(write('two', 'second')).rejects.toThrow(coded('inbox.full'));
  const written = (await b.entries()).filter(({ entry_type }) => entry_type === 'inbox_message');
  expect(written.map(({ data }) => data['message_id'])).toEqual(['one']);
  expect(written[0]!.data['expires_at']).toEqual(expect.stringContaining('+00:00'));
});
