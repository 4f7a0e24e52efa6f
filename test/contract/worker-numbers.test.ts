// What code in a worker reads of numbers that no double holds: the nearest one, in every kind of worker.

import { describe, expect, test } from 'vitest';
import { RawNumber } from '../../core/model/json.ts';
import type { FromWorker } from '../../core/model/worker-protocol.ts';
import { waitFor } from '../support/wait-for.ts';
import { invoke, KINDS, startWorker, workerHost } from '../support/worker-hosts.ts';

describe.each(KINDS)('a %s', (kind) => {
  test('hands its code a number for a number, however it was written', async () => {
    const worker = await startWorker(
      workerHost(kind),
      `export default { onTrigger(ctx, { payload }) {
         return [payload.id, payload.list[0], ctx.state.get('large')].map((it) => typeof it + ' ' + it).join(', ');
       } };`,
    );
    const heard: FromWorker[] = [];
    worker.onMessage((message) => void heard.push(message));
    const message = invoke(1, 'event');
    if (message.type !== 'invoke') throw new Error('it invokes nothing');
    const payload = {
      id: new RawNumber('12345678901234567890'),
      list: [new RawNumber('0.1000000000000000000001')],
    };
    const state = { large: new RawNumber('9007199254740993'), odd: new RawNumber('NaN') };
    worker.send({
      ...message,
      event: { ...message.event, payload },
      record: { ...message.record, state },
    });
    const ended = await waitFor(() => heard.find(({ type }) => type.startsWith('invocation-')));
    expect(ended).toMatchObject({
      type: 'invocation-done',
      response: 'number 12345678901234567000, number 0.1, number 9007199254740992',
    });
  });
});
