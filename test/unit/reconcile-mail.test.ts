// A mail by its Message-ID: sent with nodemailer to a server that speaks SMTP, looked for with imapflow in one that speaks IMAP.

import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import {
  findByImap,
  mailMessage,
  type MailMessageOptions,
} from '../../core/agent/reconcilers/mail-message.ts';
import { tokenOf } from '../../core/agent/reconcilers/reconciled-effect.ts';
import { byHand, failureOf, KEY } from '../support/by-hand.ts';
import { startMailServer, type MailServer } from '../support/providers/mail-server.ts';
import { freePort } from '../support/webhooks.ts';

const MESSAGE_ID = `<${tokenOf(KEY)}@acme.example>`;

async function serverFor(): Promise<MailServer> {
  const server = await startMailServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function mail(
  { smtpPort, imapPort }: Pick<MailServer, 'smtpPort' | 'imapPort'>,
  more: Partial<MailMessageOptions> = {},
  folders: readonly string[] = ['INBOX'],
) {
  return byHand(
    mailMessage({
      transport: () => createTransport({ host: '127.0.0.1', port: smtpPort, secure: false }),
      message: { from: 'shop@acme.example', to: 'ada@example.com', subject: 'late', text: 'It is late.' },
      domain: 'acme.example',
      find: findByImap({
        client: () => {
          const auth = { user: 'ada', pass: 'secret' };
          const options = { host: '127.0.0.1', port: imapPort, secure: false, auth, logger: false } as const;
          const client = new ImapFlow(options);
          client.on('error', () => {}); // It says so in the answer to what is asked.
          return client;
        },
        folders,
      }),
      graceMs: 2_000,
      timeoutMs: 10_000,
      ...more,
    }),
  );
}

test('it is sent under a Message-ID of its own, and found by that', async () => {
  const server = await serverFor();
  const effect = mail(server);
  expect(await effect.ask(2_000)).toEqual({ happened: false });
  expect(await effect.perform()).toEqual({ messageId: MESSAGE_ID, rejected: [] });
  expect(server.delivered).toEqual([MESSAGE_ID]);
  expect(await effect.ask()).toEqual({ happened: true, result: { messageId: MESSAGE_ID, rejected: null } });
});

test('[S30] a mail that is delivered after its sender has died: not yet, and then it happened', async () => {
  const server = await serverFor();
  const delivered = Promise.withResolvers<void>();
  server.manner = () => ({ cutUntil: delivered.promise });
  const effect = mail(server, { graceMs: 30_000 });
  expect(await failureOf(effect.perform())).not.toMatchObject({ code: 'effect.did-not-happen' });
  expect(await effect.ask(0)).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  delivered.resolve();
  expect(await effect.settle()).toMatchObject({ happened: true });
  expect(server.delivered).toEqual([MESSAGE_ID]);
});

test('until its grace is over, what is not there is not there yet', async () => {
  const effect = mail(await serverFor());
  expect(await effect.ask(1_999)).toMatchObject({ happened: 'unknown', retryAfterMs: 2 });
  expect(await effect.ask(2_000)).toEqual({ happened: false });
});

test.each([
  [550, false],
  [451, true],
])('[S28] what the server refuses with %i did not happen; tried again: %j', async (refuse, retryable) => {
  const server = await serverFor();
  server.manner = () => ({ refuse });
  expect(await failureOf(mail(server).perform())).toMatchObject({ code: 'effect.did-not-happen', retryable });
  expect(server.delivered).toEqual([]);
});

test('where nobody listens nothing was sent; a mailbox that can not be asked is asked again', async () => {
  const port = await freePort();
  const effect = mail({ smtpPort: port, imapPort: port });
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen', retryable: true });
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
});

test('a folder that is not there is no folder without the mail', async () => {
  const server = await serverFor();
  const effect = mail(server, {}, ['INBOX', 'Sent']);
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  await effect.perform();
  expect(await effect.ask()).toMatchObject({ happened: true });
});

test('a mailbox that does not answer is not waited for', async () => {
  const { smtpPort, imapPort } = await serverFor();
  const find = (): Promise<boolean> => new Promise(() => {});
  const effect = mail({ smtpPort, imapPort }, { find, timeoutMs: 50 });
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', why: expect.stringContaining('50 ms') });
});
