// Webhooks from several connections, while the host is killed again and again. The long run, 50,000 events from 50 connections:
// `npm run bench -- webhooks`.

import { expect, test } from 'vitest';
import { tempDirectory } from '../support/temp-directory.ts';
import { webhookStorm } from '../support/webhook-storm.ts';
import { freePort } from '../support/webhooks.ts';

test('[A12] [P1] [S29] kill -9 under a storm of webhooks: what was accepted is handled, once, and what was refused is not', async () => {
  const tally = await webhookStorm({
    directory: tempDirectory(),
    port: await freePort(),
    accepted: 300,
    connections: 8,
    kills: 3,
  });
  expect(tally.problems).toEqual([]);
  expect(tally).toMatchObject({ kills: 3 });
  expect(tally.accepted).toBeGreaterThanOrEqual(300);
  expect(tally.events).toBeGreaterThanOrEqual(tally.accepted);
  expect(tally.events).toBeLessThanOrEqual(tally.accepted + tally.unanswered);
}, 600_000);
