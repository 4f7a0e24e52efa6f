// Requests without a pause, while everything that an operator can do to their process and their trigger is done to it.

import { Agent } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { freePort, sendJson } from '../support/webhooks.ts';

const CLIENTS = 4;
/** Posts that were accepted between one act and the next. */
const BETWEEN = 5;

/** A third of them is noise, which the filter leaves out. */
const isNoise = (n: number): boolean => n % 3 === 0;

function isRight(n: number, answer: number | 'cut', isTaken: boolean): boolean {
  if (isTaken) return !isNoise(n) && (answer === 202 || answer === 'cut');
  return answer === 200 ? isNoise(n) : answer === 404 || answer === 503 || answer === 'cut';
}

test('[A12] [C23] [P1] [S29] under a storm of requests: what was answered 202 is handled, once; what its filter leaves out never is; all else is refused as such', async () => {
  const b = await bench('');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhook`;
  const { triggerDesk: desk } = b.process;
  const hook = { type: 'webhook', webhook_port: port, filter_expression: "kind != 'noise'" };
  const id = await desk.add(hook, b.directory, OPERATOR);

  const answers = new Map<number, number | 'cut'>();
  let accepted = 0;
  let next = 0;
  const over = new AbortController();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  onTestFinished(() => agent.destroy());
  const post = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const n = next;
      next += 1;
      // Where nobody listens there is nothing that takes its time.
      await new Promise((resolve) => void setImmediate(resolve));
      try {
        const { status } = await sendJson(url, { n, kind: isNoise(n) ? 'noise' : 'order' }, { agent });
        answers.set(n, status);
        if (status === 202) accepted += 1;
      } catch {
        answers.set(n, 'cut');
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, post);
  const some = (): Promise<void> => {
    const before = accepted;
    return b.until('some more', () => accepted >= before + BETWEEN);
  };
  const acts: readonly (() => Promise<unknown>)[] = [
    () => b.process.suspend(OPERATOR).then(() => b.process.resume(OPERATOR)),
    () => desk.pause(id, OPERATOR).then(() => desk.resume(id, OPERATOR)),
    () => desk.pause(null, OPERATOR).then(() => desk.resume(null, OPERATOR)),
    () => desk.remove(id, OPERATOR).then(() => desk.add(hook, b.directory, OPERATOR)),
    () => b.process.forceRecover(OPERATOR),
    () => b.process.restart(OPERATOR),
  ];
  for (let round = 0; round < 3; round += 1) {
    for (const act of acts) {
      await some();
      await act();
    }
  }
  await some();
  over.abort();
  await Promise.all(clients);
  await b.until('all of them', isIdle);

  const entries = await b.entries();
  const ofType = (type: string) => entries.filter(({ entry_type }) => entry_type === type);
  const events = new Map(
    ofType('trigger_event').map(({ data }) => [data['event_id'], (data['payload'] as { n: number }).n]),
  );
  const ended = ofType('invocation_result').map(({ data }) => data['event_id']);
  expect(ended).toHaveLength(events.size);
  expect(new Set(ended)).toEqual(new Set(events.keys()));
  const taken = new Set(events.values());
  expect(taken.size).toBe(events.size);
  const wrong = [...answers].filter(([n, answer]) => !isRight(n, answer, taken.has(n)));
  expect(wrong).toEqual([]);
  expect(b.process.live.trouble).toBeNull();
});
