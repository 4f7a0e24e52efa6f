import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { openWebhook, sendJson } from '../support/webhooks.ts';

const POSTS = 5_000;
const CONNECTIONS = 50;

it('5,000 posts to a process that is slow, refuses at times and goes: what was accepted was answered 202 or cut, once [P1] [A12]', async () => {
  const accepted = new Map<number, number>();
  let given = 0;
  const { url, running } = await openWebhook({
    sink: async ({ payload }) => {
      const n = payload as number;
      given += 1;
      if (n % 7 === 3) throw new AppError('process.queue-full', 'The queue is full.');
      if (n % 11 === 0) await delay(1 + (n % 5));
      if (n % 13 === 5) throw new AppError('journal.disk-full', 'The disk is full.');
      accepted.set(n, (accepted.get(n) ?? 0) + 1);
      if (n % 17 === 0) await delay(2);
      return { kind: 'accepted', eventId: `e${n}` };
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answers = new Map<number, number | 'cut'>();
  const sockets = new Set<number | undefined>();
  let next = 0;
  const closing: Promise<void>[] = [];
  const misnamed: number[] = [];
  const post = async (): Promise<void> => {
    while (next < POSTS) {
      const n = next;
      next += 1;
      try {
        const { status, body } = await sendJson(url, n, { agent });
        answers.set(n, status);
        if (status === 202 && body['event_id'] !== `e${n}`) misnamed.push(n);
      } catch {
        answers.set(n, 'cut');
      }
      if (n === (POSTS * 9) / 10) closing.push(running[Symbol.asyncDispose]());
    }
  };
  agent.on('free', (socket: { localPort?: number }) => sockets.add(socket.localPort));
  await Promise.all(Array.from({ length: CONNECTIONS }, post));
  await Promise.all(closing);
  agent.destroy();

  expect(answers.size).toBe(POSTS);
  expect(misnamed).toEqual([]);
  const counts = Object.groupBy(answers.values(), String);
  expect(counts['503']!.length).toBeGreaterThan(500);
  expect(counts['cut']!.length).toBeGreaterThan(0);
  expect(Object.keys(counts).filter((answer) => !['202', '503', '404', 'cut'].includes(answer))).toEqual([]);
  for (const [n, answer] of answers) {
    if (answer === 202 && !accepted.has(n)) throw new Error(`${n} was answered 202 and never accepted`);
    if (answer !== 202 && answer !== 'cut' && accepted.has(n)) {
      throw new Error(`${n} was accepted and answered ${answer}`);
    }
  }
  expect([...accepted.values()].filter((times) => times !== 1)).toEqual([]);
  expect(accepted.size).toBeGreaterThan(2_500);
  expect(given).toBeLessThanOrEqual(POSTS);
  // The connections were kept.
  expect(sockets.size).toBeLessThan(CONNECTIONS * 3);
});
