// Providers that can be asked: one local HTTP server that speaks the shape of an API with idempotency keys, of GitHub's and of
// Stripe's. What it was asked to do it does, also when whoever asked is gone by then.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { githubApi, type GithubApi } from './github-api.ts';
import { ordersApi, type OrdersApi } from './orders-api.ts';
import { stripeApi, type StripeApi } from './stripe-api.ts';

export interface ProviderRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a provider does with one request. */
export interface Manner {
  /** Before it is done: meanwhile nobody sees anything of it. */
  readonly beforeMs?: number;
  /** The same, for as long as whoever tests it likes. */
  readonly until?: Promise<void>;
  /** From then until the answer. */
  readonly afterMs?: number;
  /** Answered so instead, and nothing is done. */
  readonly refuse?: ProviderAnswer;
  /** Done, and answered so. */
  readonly answer?: ProviderAnswer;
  /** Done, and the connection is cut. */
  readonly isCut?: boolean;
}

/** A kind of thing that a provider makes. */
export interface ProviderApi {
  /** Null where the request is not for it. */
  readonly handle: (request: ProviderRequest, act: Act) => Promise<ProviderAnswer> | null;
}

/** Does it, as the manner of the present request says. */
export type Act = <T>(commit: () => T) => Promise<T>;

export interface Providers extends AsyncDisposable {
  readonly url: string;
  readonly orders: OrdersApi;
  readonly github: GithubApi;
  readonly stripe: StripeApi;
  /** What was asked, in order: `POST /orders`. */
  readonly requests: ProviderRequest[];
  /** How the next requests are dealt with; see {@link Manner}. */
  manner: (request: ProviderRequest) => Manner;
  /** Resolves when nothing that was asked for is still to be done. */
  quiet(): Promise<void>;
}

export async function startProviders(): Promise<Providers> {
  const orders = ordersApi();
  const github = githubApi();
  const stripe = stripeApi();
  const apis: readonly ProviderApi[] = [orders, github, stripe];
  const requests: ProviderRequest[] = [];
  const underWay = new Set<Promise<void>>();

  const answer = async (request: ProviderRequest, response: ServerResponse): Promise<void> => {
    const manner = providers.manner(request);
    const { beforeMs = 0, afterMs = 0, refuse } = manner;
    let isDone = false;
    const act: Act = async (commit) => {
      await delay(beforeMs);
      await manner.until;
      const done = commit();
      isDone = true;
      await delay(afterMs);
      return done;
    };
    const handled = apis.map(({ handle }) => (refuse === undefined ? handle(request, act) : null));
    const found = await (handled.find((one) => one !== null) ?? Promise.resolve(null));
    if (isDone && manner.isCut === true) response.socket?.destroy();
    else send(response, refuse ?? (isDone ? manner.answer : undefined) ?? found ?? NOTHING);
  };

  const server = createServer((message, response) => {
    // Whoever asked may be killed meanwhile.
    message.on('error', () => {});
    response.on('error', () => {});
    const work = readAll(message).then((body) => {
      const url = new URL(message.url ?? '/', 'http://provider');
      const request = { method: message.method ?? 'GET', url, headers: message.headers, body };
      requests.push(request);
      return answer(request, response);
    });
    const tracked = work.then(
      () => void underWay.delete(tracked),
      () => void underWay.delete(tracked), // It was killed before it had said what it wants.
    );
    underWay.add(tracked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const providers: Providers = {
    url: `http://127.0.0.1:${port}`,
    orders,
    github,
    stripe,
    requests,
    manner: () => ({}),
    quiet: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return providers;
}

const NOTHING: ProviderAnswer = { status: 404, body: { message: 'Not Found' } };

function send(response: ServerResponse, { status, body, headers }: ProviderAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

async function readAll(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
