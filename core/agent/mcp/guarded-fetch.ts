// Requests to a server that an agent connected itself. Its name may mean another address by now than when it was connected:
// it is looked up for each connection, the connection goes to an address that was looked at, and no redirect is followed,
// wherever it leads.

import { lookup } from 'node:dns';
import { request as overHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { addressProblem, hostProblem } from '../../model/receiver-address.ts';
import { NotSent } from './transport-errors.ts';

/** Answers that have no body. */
const BARE: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export interface GuardedFetch {
  /** Whether it may be in this machine's network. */
  readonly allowPrivate: boolean;
  /** All addresses of a name. */
  readonly resolve?: typeof lookup;
}

export function guardedFetch({ allowPrivate, resolve = lookup }: GuardedFetch): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address);
    const problem = hostProblem(url.hostname, allowPrivate);
    if (problem !== null) throw refusedAt(url, problem);
    const options: RequestOptions = {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      // An agent of its own: no connection that went elsewhere, and no proxy of the environment's.
      agent: false,
      lookup: judged(url, allowPrivate, resolve),
      ...(init.signal == null ? {} : { signal: init.signal }),
    };
    const response = responseOf(await exchange(url, options, init.body));
    if (response.status < 300 || response.status >= 400) return response;
    await response.body?.cancel();
    throw new StreamableHTTPError(
      response.status,
      `${url.origin} leads elsewhere (${response.status}), and no redirect is followed for a server that the agent connected itself`,
    );
  };
}

/** Fails where any address of the name is none that is allowed, so that chance decides nothing. */
function judged(url: URL, allowPrivate: boolean, resolve: typeof lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        done(error, []);
        return;
      }
      const problem = found
        .map(({ address }) => addressProblem(address, allowPrivate))
        .find((one) => one !== null);
      if (problem !== undefined || found.length === 0) {
        done(refusedAt(url, problem ?? 'it has no address'), []);
      } else if (options.all === true) done(null, found);
      else done(null, found[0]!.address, found[0]!.family);
    });
  };
}

function refusedAt(url: URL, problem: string): NotSent {
  return new NotSent(
    `nothing is sent to ${url.origin}, which the agent connected itself: ${problem}. An operator can allow it in the manifest, by its address`,
  );
}

async function exchange(
  url: URL,
  options: RequestOptions,
  body: RequestInit['body'],
): Promise<IncomingMessage> {
  // What the protocol sends is text.
  const bytes = body == null ? null : Buffer.from(await new Response(body).arrayBuffer());
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? overHttps(url, options) : overHttp(url, options);
    request.on('error', reject);
    request.on('response', resolve);
    if (bytes !== null) request.setHeader('content-length', bytes.length);
    request.end(bytes ?? undefined);
  });
}

function responseOf(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!);
  }
  const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
  if (BARE.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
  return new Response(body, { status, statusText, headers });
}
