// Servers that something is told: real ones, each with manners of its own.

import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** From now on it has other manners. */
  answer(manners: Manners): void;
}

/** How a request is answered; `nth` counts from 1. */
export type Manners = (answer: ServerResponse, nth: number) => void;

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Manners =>
  (answer) => {
    answer.writeHead(code, headers).end('so it is');
  };

export const never: Manners = () => {};

/** It listens on this machine until the test is over. */
export function receiver(manners: Manners = status(204), port = 0): Promise<Receiver> {
  return listening((listener) => createServer(listener), 'http', manners, port);
}

/** The same over TLS, with a certificate that nobody vouches for; `asked` hears which name it is asked for. */
export function tlsReceiver(asked: (name: string) => void): Promise<Receiver> {
  const options = { key: KEY, cert: CERTIFICATE };
  const make = (listener: RequestListener): Server =>
    createTlsServer(
      {
        ...options,
        SNICallback: (name, done) => {
          asked(name);
          done(null);
        },
      },
      listener,
    );
  return listening(make, 'https', status(204), 0);
}

async function listening(
  make: (listener: RequestListener) => Server,
  protocol: string,
  first: Manners,
  asked: number,
): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let manners = first;
  const server = make((request, answer) => {
    void read(request).then((text) => {
      const { method = '', url = '', headers } = request;
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      received.push({ atMs: performance.now(), method, path: url, headers, text, body });
      manners(answer, received.length);
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(asked, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol}://127.0.0.1:${port}/hook/xyzzy`,
    port,
    received,
    answer: (other) => {
      manners = other;
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** As a receiver would check it that knows nothing of ours but the words of the guide. */
export function isSignedWith(secret: string, { headers, text }: Received): boolean {
  const [, time = '', digest = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-holdfast-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.${text}`, 'utf8').digest('hex');
  return digest === expected && headers['x-holdfast-timestamp'] === time;
}

/** Made for these tests, and for a name that is nobody's. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/IZUrUFOnshSqr71
mOQbspPwOcagIBVqhvVc8nc6+QChRANCAAQ2gpZ4+pV+dETtJUTvkWd1Jmd3dsYl
UQC9gqub2LM3sJe1bDBMnHIXwJ19emkyL1bv4iNGU77uzup/5TOQT42s
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBpDCCAUqgAwIBAgIUEq//4rDiLJz7AtJlubpKufuJ95IwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwObm9ib2R5LmV4YW1wbGUwIBcNMjYxMTMwMTQxOTI3WhgPMjEy
NjExMDYxNDE5MjdaMBkxFzAVBgNVBAMMDm5vYm9keS5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAENoKWePqVfnRE7SVE75FndSZnd3bGJVEAvYKrm9iz
N7CXtWwwTJxyF8CdfXppMi9W7+IjRlO+7s7qf+UzkE+NrKNuMGwwHQYDVR0OBBYE
FN+fRhT4yx21buYmejLV/Fnnd6hIMB8GA1UdIwQYMBaAFN+fRhT4yx21buYmejLV
/Fnnd6hIMA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIObm9ib2R5LmV4YW1w
bGUwCgYIKoZIzj0EAwIDSAAwRQIgIJ58G29i6m8lQCaAsNQcLTSBxe+O0i13DeJ7
KwlIDuECIQC9a2vqUFdO9fHsD2/6H2mRnVZdfJWaGqW/azkP3LCDqw==
-----END CERTIFICATE-----`;
