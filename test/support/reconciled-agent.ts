// An agent that does one of each that can be reconciled, side by side, in each invocation.

import { connect } from 'node:net';
import { join } from 'node:path';
import {
  defineAgent,
  fileContent,
  githubComment,
  githubIssue,
  httpRequest,
  mailMessage,
  postgresRow,
  stripePayment,
  type ReconcilerOptions,
} from 'holdfast';
import { createTransport } from 'nodemailer';
import { Client } from 'pg';
import { GITHUB_TOKEN } from './providers/github-api.ts';
import { STRIPE_KEY } from './providers/stripe-api.ts';
import { contentOf, type ReconciledWorld } from './reconciled-life.ts';

const world = JSON.parse(process.env['RECONCILED_WORLD']!) as ReconciledWorld;
const { providers, smtpPort, mailbox, postgres, files, graceMs, timeoutMs } = world;

const LIMITS: ReconcilerOptions = {
  timeoutMs,
  retry: { attempts: 50, backoffMs: 20, maxBackoffMs: 200 },
  reconcileForMs: 60_000,
};

/** Asks whoever has the mailbox. */
function find(messageId: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: mailbox, signal });
    socket.on('error', reject);
    socket.on('connect', () => socket.write(`${messageId}\n`));
    socket.on('data', (answer) => {
      resolve(answer.toString() === 'there');
      socket.destroy();
    });
    socket.on('close', () => reject(new Error('the mailbox is closed')));
  });
}

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const { life, n } = payload as { readonly life: string; readonly n: number };
    const what = `${life}/${n}`;
    const github = { api: providers, repository: 'acme/shop', token: () => GITHUB_TOKEN, ...LIMITS, graceMs };
    const text = `The order ${what} is late.`;
    await Promise.all([
      ctx.effect(
        'http',
        ...httpRequest({
          url: `${providers}/orders`,
          body: { what },
          lookup: (key) => `${providers}/orders?key=${encodeURIComponent(key)}`,
          isReadYourWrites: true,
          graceMs,
          ...LIMITS,
        }),
      ),
      ctx.effect(
        'file',
        ...fileContent({
          path: join(files, `${life}-${n}.txt`),
          content: contentOf(what),
          before: null,
          ...LIMITS,
        }),
      ),
      ...(postgres === null
        ? []
        : [
            ctx.effect(
              'postgres',
              ...postgresRow({
                connect: async () => {
                  const client = new Client({ connectionString: postgres });
                  client.on('error', () => {}); // It says so in the answer to what is asked.
                  await client.connect();
                  return client;
                },
                table: 'rows',
                values: { name: what, n },
                ...LIMITS,
              }),
            ),
          ]),
      ctx.effect(
        'mail',
        ...mailMessage({
          transport: () => createTransport({ host: '127.0.0.1', port: smtpPort, secure: false }),
          message: { from: 'shop@acme.example', to: 'customer@example.com', subject: what, text },
          domain: 'acme.example',
          find,
          graceMs,
          ...LIMITS,
        }),
      ),
      n % 2 === 0
        ? ctx.effect('github', ...githubIssue({ ...github, title: what, body: text }))
        : ctx.effect('github', ...githubComment({ ...github, issue: 7, body: text })),
      ctx.effect(
        'stripe',
        ...stripePayment({
          api: providers,
          secretKey: () => STRIPE_KEY,
          params: { amount: n, currency: 'eur', description: what, confirm: true },
          ...LIMITS,
          graceMs,
        }),
      ),
    ]);
  },
});
