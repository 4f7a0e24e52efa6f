// What a sender hears when a journal takes nothing, or a payload can't be kept: never that it was accepted.

import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { MAX_RECORDED_DEPTH } from '../../core/model/json.ts';
import { bench } from '../support/runtime.ts';
import { SteppedHost } from '../support/stepped-host.ts';
import { endWorld } from '../support/stepped-world.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { freePort, openWebhook, send, sendJson, webhookConfig } from '../support/webhooks.ts';

async function onFullDisk(
  filter: string | null,
): Promise<{ readonly host: SteppedHost; readonly url: string }> {
  const port = await freePort();
  const host = new SteppedHost(tempDirectory(), () => 0.5, { triggers: [webhookConfig(port, { filter })] });
  await host.start();
  onTestFinished(async () => {
    await host.outcome('quitting', host.quit());
    endWorld(host.name);
  });
  await host.until('the port', ({ triggers }) => triggers.views()[0]!.address !== null);
  host.isFull = true;
  return { host, url: `http://127.0.0.1:${port}/webhook` };
}

test('[P1] [S29] where the journal takes nothing, nobody is told that something was accepted: not under a key that was used at the same time either', async () => {
  const { host, url } = await onFullDisk(null);
  // Its triggers close with the first entry that is refused; whoever comes later may find nobody.
  const post = (key: string): Promise<unknown> =>
    sendJson(url, { errand: 'count' }, { headers: { 'idempotency-key': key } }).then(
      ({ status, body }) => [status, body['reason']],
      () => 'no answer',
    );
  const answers = await host.outcome('the answers', Promise.all(['a', 'a', 'b', 'a'].map(post)));
  const full = [503, 'journal.disk-full'];
  expect(answers).toContainEqual(full);
  for (const answer of answers) expect([full, 'no answer']).toContainEqual(answer);
  expect((await host.entries()).map(({ entry_type }) => entry_type)).not.toContain('trigger_event');
});

test('[A10] [P1] where the journal takes nothing, nothing is told to be filtered', async () => {
  const { host, url } = await onFullDisk('False');
  expect((await host.outcome('the answer', sendJson(url, 1))).status).toBe(503);
});

test('[A12] a host that is closing says so with 503; what can never be kept is the fault of who sent it', async () => {
  const answerTo = async (code: string): Promise<number> => {
    const { url } = await openWebhook({ sink: () => Promise.reject(new AppError(code, 'no')) });
    return (await sendJson(url, 1)).status;
  };
  expect(await answerTo('host.closing')).toBe(503);
  expect(await answerTo('trigger.payload-too-large')).toBe(413);
  expect(await answerTo('json.not-recordable')).toBe(400);
  // Taken away in the middle of it, and signed too long ago for anybody to know whether that was used.
  expect(await answerTo('trigger.closed')).toBe(503);
  expect(await answerTo('trigger.signature-too-old')).toBe(401);
});

test('a payload at the very depth that is taken is kept, or refused as what it is', async () => {
  const port = await freePort();
  const b = await bench('', { triggers: [webhookConfig(port)] });
  await b.until('the port', ({ triggers }) => triggers.views()[0]!.address !== null);
  for (const depth of [MAX_RECORDED_DEPTH - 1, MAX_RECORDED_DEPTH, MAX_RECORDED_DEPTH + 1]) {
    const body = '['.repeat(depth) + ']'.repeat(depth);
    const { status } = await send(`http://127.0.0.1:${port}/webhook`, { body });
    expect([202, 400]).toContain(status);
  }
  expect(b.process.live.trouble).toBeNull();
  expect(b.process.snapshot.triggers.known[`webhook-${port}/webhook`]!.accepted).toBeGreaterThan(0);
});
