// Real requests to real servers, for the tests of webhooks.

import { createHmac } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../core/host/system-clock.ts';
import type { Clock } from '../../core/model/ports.ts';
import type { WebhookTriggerConfig } from '../../core/model/trigger-config.ts';
import type { TriggerAnswer, TriggerCall, TriggerSink } from '../../core/triggers/trigger-sink.ts';
import type { WebhookHealth } from '../../core/triggers/webhook-route.ts';
import type { WebhookLimits } from '../../core/triggers/webhook-server.ts';
import { WebhookServers, type RunningWebhook } from '../../core/triggers/webhook-servers.ts';

export interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/**
 * So many ports for each of the programs that run tests at the same time, below those that the system gives to whoever calls or
 * asks for any: between the time that one is chosen and the time that it is listened on nobody else takes it.
 */
const PORTS = { from: 10_000, each: 2_500, shares: 8 };
const shareFrom = PORTS.from + (Number(process.env['VITEST_POOL_ID'] ?? 0) % PORTS.shares) * PORTS.each;
let nextPort = Math.floor(Math.random() * PORTS.each);

/** A port that nobody listens on now, and that nobody was given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = shareFrom + nextPort;
    nextPort = (nextPort + 1) % PORTS.each;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isOpen = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isOpen) await new Promise((resolve) => void server.close(resolve));
  return isOpen;
}

export function webhookConfig(
  port: number,
  changed: Partial<WebhookTriggerConfig> = {},
): WebhookTriggerConfig {
  return {
    type: 'webhook',
    host: '127.0.0.1',
    port,
    path: '/webhook',
    secret: null,
    scheme: 'generic',
    signatureHeader: null,
    toleranceMs: 300_000,
    allowedSources: [],
    maxBodyBytes: 64 * 1024,
    filter: null,
    ...changed,
  };
}

export interface OpenedWebhook {
  readonly port: number;
  readonly url: string;
  readonly running: RunningWebhook;
  readonly servers: WebhookServers;
  /** What the sink was given. */
  readonly calls: TriggerCall[];
}

export interface OpenOptions {
  readonly config?: Partial<WebhookTriggerConfig>;
  readonly sink?: TriggerSink;
  readonly clock?: Clock;
  readonly health?: () => WebhookHealth;
  readonly limits?: Partial<WebhookLimits>;
  readonly servers?: WebhookServers;
  readonly process?: string;
}

/** One webhook, closed when the test ends. Without a sink everything is accepted once per key. */
export async function openWebhook(options: OpenOptions = {}): Promise<OpenedWebhook> {
  const port = options.config?.port ?? (await freePort());
  const config = webhookConfig(port, options.config);
  const calls: TriggerCall[] = [];
  const sink = options.sink ?? acceptOnce();
  const servers = options.servers ?? new WebhookServers(options.limits);
  const running = await servers.open(config, {
    process: options.process ?? 'alpha',
    triggerId: `webhook-${port}${config.path}`,
    clock: options.clock ?? systemClock(),
    health: options.health ?? (() => ({ reason: null, queueSize: 0 })),
    sink: (call) => {
      calls.push(call);
      return sink(call);
    },
  });
  onTestFinished(async () => running[Symbol.asyncDispose]());
  return { port, url: `http://127.0.0.1:${port}${config.path}`, running, servers, calls };
}

/** Accepts everything; what comes again under its key is known. */
export function acceptOnce(): TriggerSink {
  const taken = new Set<string>();
  let count = 0;
  return async ({ key }): Promise<TriggerAnswer> => {
    if (key !== undefined && taken.has(key)) return { kind: 'known' };
    if (key !== undefined) taken.add(key);
    count += 1;
    return { kind: 'accepted', eventId: `event-${count}` };
  };
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
  readonly localAddress?: string;
}

/** Rejects when the connection is cut before an answer is whole. */
export function send(url: string, options: SendOptions = {}): Promise<Heard> {
  const { method = 'POST', headers = {}, body, agent, localAddress } = options;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      {
        method,
        headers: headers as Record<string, string | string[]>,
        agent: agent ?? new Agent({ keepAlive: false }),
        ...(localAddress === undefined ? {} : { localAddress }),
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const { statusCode = 0, headers } = response;
          const isJson = text !== '' && headers['content-type']?.startsWith('application/json') === true;
          resolve({
            status: statusCode,
            headers,
            text,
            body: isJson ? (JSON.parse(text) as Heard['body']) : {},
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export function sendJson(url: string, value: unknown, options: SendOptions = {}): Promise<Heard> {
  return send(url, {
    ...options,
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json', ...options.headers },
  });
}

export interface RawConnection {
  readonly socket: Socket;
  /** What came so far. */
  readonly heard: () => string;
  /** Everything that came, once the other end has closed or cut. */
  readonly ended: Promise<string>;
}

/** A bare connection, for what no client library would send. */
export async function rawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host);
  let text = '';
  socket.on('data', (part) => {
    text += part.toString('latin1');
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(text));
  });
  socket.on('error', () => {}); // a cut is what is looked for: `ended` tells it
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  return { socket, heard: () => text, ended };
}

export const SECRET = 'a secret for tests';

export function signed(body: string | Uint8Array, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export function stripeSigned(body: string | Uint8Array, seconds: number, secret = SECRET): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${digest}`;
}
