// [A12] [P1] One HTTP server for all webhooks of an address. What it takes is answered, and only after the process has
// it; what would take too long, too much or too many is refused before it costs anything.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Clock } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import {
  answerToUnreadable,
  BROKEN_HERE,
  refusal,
  unavailable,
  type WebhookAnswer,
} from './webhook-answers.ts';
import { holdBack, readBody } from './webhook-body.ts';
import { pathOf, type WebhookRequest } from './webhook-request.ts';
import type { WebhookProblem, ServedRoute } from './webhook-route.ts';
import { plainAddress } from './webhook-sources.ts';

export interface WebhookLimits {
  /** From the first byte, or from the connection on, to the end of the headers. */
  readonly headersMs: number;
  /** To the end of the body. */
  readonly requestMs: number;
  /** How often the two above are looked after. */
  readonly lookMs: number;
  /** A connection without a request is kept so long. */
  readonly idleMs: number;
  /** What is under way when a webhook closes has so long to be answered. */
  readonly drainMs: number;
  readonly connections: number;
}

export const WEBHOOK_LIMITS: WebhookLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1_000,
  idleMs: 30_000,
  drainMs: 10_000,
  connections: 256,
};

/** Whose body is not wanted may read so before the connection is cut. */
const LAST_WORDS_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;
const SHORT_BYTES = 64 * 1024;

/** More than a sender that pipelines would send before it reads an answer. */
const MAX_PIPELINED = 64;

/** A request and its answer. */
interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  route: ServedRoute | null;
  /** The request is here whole: what becomes of it is not for the parser to say. */
  isTaken: boolean;
}

export class WebhookServer {
  readonly #host: string;
  readonly #port: number;
  readonly #clock: Clock;
  readonly #limits: WebhookLimits;
  readonly #server: Server;
  readonly #routes = new Map<string, ServedRoute>();
  readonly #families = new Set<ServedRoute>();
  /** What is under way on each connection, and for each route. */
  readonly #connections = new Map<Socket, Set<Exchange>>();
  readonly #underWay = new Map<ServedRoute, Set<Exchange>>();
  /** Answered, and cut as soon as the answer may have been read. */
  readonly #doomed = new WeakSet<Socket>();
  readonly #whenDone = new Map<ServedRoute, () => void>();
  #isClosing = false;
  #trouble: WebhookProblem | null = null;

  constructor(host: string, port: number, clock: Clock, limits: WebhookLimits) {
    this.#host = host;
    this.#port = port;
    this.#clock = clock;
    this.#limits = limits;
    this.#server = createServer({
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.lookMs,
      keepAliveTimeout: limits.idleMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    this.#server.maxConnections = limits.connections;
    this.#server.on('connection', (socket: Socket) => {
      this.#connections.set(socket, new Set());
      socket.on('close', () => this.#connections.delete(socket));
    });
    this.#server.on('request', (request, response) => void this.#serve(request, response, false));
    this.#server.on('checkContinue', (request, response) => void this.#serve(request, response, true));
    this.#server.on('clientError', (error, socket) => this.#onUnreadable(error, socket as Socket));
  }

  get routes(): readonly ServedRoute[] {
    return [...this.#routes.values(), ...this.#families];
  }

  /** What went wrong with the server itself since it began to listen; null for nothing. */
  get trouble(): WebhookProblem | null {
    return this.#trouble;
  }

  routeAt(path: string): ServedRoute | undefined {
    return this.#routes.get(pathOf(path));
  }

  /** Of those that share a kind of paths, the one whose it is; the first for what is nobody's. */
  #find(target: string): ServedRoute | undefined {
    const path = pathOf(target);
    const one = this.#routes.get(path);
    if (one !== undefined) return one;
    const kind = [...this.#families].filter(({ family }) => family?.takes(path));
    return kind.find(({ family }) => family?.has(path)) ?? kind[0];
  }

  /** @throws `trigger.port-taken`, `trigger.bad-address` */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onError = (error: Error): void => reject(whyNotListening(error, this.#host, this.#port));
      this.#server.once('error', onError);
      this.#server.listen({ host: this.#host, port: this.#port }, () => {
        this.#server.off('error', onError);
        resolve();
      });
    });
    // Such as having no descriptor left for one more connection: the others go on.
    this.#server.on('error', (error) => this.#note(error));
  }

  add(route: ServedRoute): void {
    if (route.family !== undefined) this.#families.add(route);
    else this.#routes.set(pathOf(route.config.path), route);
  }

  /** Nothing new comes to it; resolves when what was under way is answered, or cut after `drainMs`. */
  async remove(route: ServedRoute): Promise<void> {
    const path = pathOf(route.config.path);
    if (this.#routes.get(path) === route) this.#routes.delete(path);
    this.#families.delete(route);
    const underWay = this.#underWay.get(route);
    if (underWay === undefined) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(this.#limits.drainMs, () => {
        for (const { socket } of underWay) socket.destroy();
        resolve();
      });
      this.#whenDone.set(route, () => {
        cancel();
        resolve();
      });
    });
    this.#whenDone.delete(route);
  }

  /** Resolves when the port is free. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const [socket, exchanges] of this.#connections) if (exchanges.size === 0) socket.destroy();
    const cancel = this.#clock.after(this.#limits.drainMs, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  async #serve(request: IncomingMessage, response: ServerResponse, isWaiting: boolean): Promise<void> {
    const { socket } = request;
    const exchange: Exchange = { response, socket, route: null, isTaken: false };
    this.#connections.get(socket)?.add(exchange);
    response.on('close', () => this.#end(exchange));
    try {
      await this.#answer(request, exchange, isWaiting);
    } catch (error) {
      this.#note(error);
      this.#send(response, BROKEN_HERE);
    }
  }

  #begin(route: ServedRoute, exchange: Exchange): void {
    exchange.route = route;
    const underWay = this.#underWay.get(route) ?? new Set();
    this.#underWay.set(route, underWay.add(exchange));
  }

  #end(exchange: Exchange): void {
    this.#connections.get(exchange.socket)?.delete(exchange);
    const { route } = exchange;
    const underWay = route === null ? undefined : this.#underWay.get(route);
    if (route === null || underWay?.delete(exchange) !== true || underWay.size > 0) return;
    this.#underWay.delete(route);
    this.#whenDone.get(route)?.();
  }

  async #answer(incoming: IncomingMessage, exchange: Exchange, isWaiting: boolean): Promise<void> {
    const { response, socket } = exchange;
    const request: WebhookRequest = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      rawHeaders: incoming.rawHeaders,
      remote: plainAddress(socket.remoteAddress ?? '')?.address ?? null,
    };
    const route = this.#find(request.target);
    const early = this.#answerEarly(request, route, socket);
    if (early !== null || route === undefined) {
      return this.#refuse(incoming, exchange, early ?? refusal(404, 'Nothing listens here.'), isWaiting);
    }
    this.#begin(route, exchange);
    const read = await readBody(incoming, route.config.maxBodyBytes, () => {
      if (isWaiting) response.writeContinue();
    });
    switch (read.kind) {
      case 'whole':
        exchange.isTaken = true;
        return this.#send(response, await route.take(request, read.body));
      case 'too-large':
        this.#send(response, route.tooLarge);
        this.#cutLater(socket);
        return;
      case 'cut':
        return;
    }
  }

  /** What needs no body to be answered; null where it is for the route to answer. */
  #answerEarly(
    request: WebhookRequest,
    route: ServedRoute | undefined,
    socket: Socket,
  ): WebhookAnswer | null {
    const isHealth = pathOf(request.target) === '/health';
    if (isHealth && /^(GET|HEAD)$/.test(request.method)) return this.#health(request);
    if (this.#isClosing) return unavailable('trigger.closing');
    if ((this.#connections.get(socket)?.size ?? 0) > MAX_PIPELINED) return unavailable('trigger.busy');
    if (route === undefined) {
      return isHealth ? refusal(405, 'This can only be looked at.', { Allow: 'GET, HEAD' }) : null;
    }
    if (request.method !== 'POST') return refusal(405, 'Send it with POST.', { Allow: 'POST' });
    return route.refuseSender(request);
  }

  /** Answers before the body is here: a short one may still come, and the connection is of use afterwards. */
  #refuse(
    incoming: IncomingMessage,
    { response, socket }: Exchange,
    answer: WebhookAnswer,
    isWaiting: boolean,
  ): void {
    const { 'content-length': length = '0', 'transfer-encoding': pieces } = incoming.headers;
    const isShort = !isWaiting && pieces === undefined && Number(length) <= SHORT_BYTES;
    if (!isShort) holdBack(incoming);
    this.#send(response, answer);
    if (isShort && Number(length) === 0) return;
    const spare = this.#cutLater(socket);
    if (!isShort) return;
    incoming.once('end', spare);
    incoming.resume();
  }

  #send(response: ServerResponse, { status, body, headers }: WebhookAnswer): void {
    if (response.destroyed || response.headersSent) return;
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
      ...(this.#isClosing ? { Connection: 'close' } : {}),
    });
    response.end(text);
  }

  /** Cut at once, the sender, still sending, would lose the answer with the connection. The result spares it. */
  #cutLater(socket: Socket): () => void {
    this.#doomed.add(socket);
    const cancel = this.#clock.after(LAST_WORDS_MS, () => socket.destroy());
    socket.once('close', cancel);
    return () => {
      cancel();
      socket.off('close', cancel);
      this.#doomed.delete(socket);
    };
  }

  /** Too slow, too large, or no HTTP at all. */
  #onUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    // What was taken is not to be answered by what the parser makes of what came behind it.
    const isOurs = [...(this.#connections.get(socket) ?? [])].some(
      ({ response, isTaken }) => isTaken || response.headersSent,
    );
    if (isOurs || this.#doomed.has(socket) || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { status, body } = answerToUnreadable(codeOf(error));
    const text = JSON.stringify(body);
    socket.write(
      `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Refused'}\r\n` +
        'Content-Type: application/json; charset=utf-8\r\n' +
        `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
    socket.destroySoon();
  }

  #note(error: unknown): void {
    const at = timestampOf(this.#clock.now());
    this.#trouble = { code: codeOf(error), message: messageOf(error), at };
  }

  /** Of all that the sender may call; the first that can accept nothing speaks for them. */
  #health(request: WebhookRequest): WebhookAnswer {
    const all = this.routes;
    const asked = all.filter((route) => route.maySee(request));
    if (asked.length === 0) {
      return all.length === 0 ? unavailable('trigger.closing') : refusal(403, 'The source is not allowed.');
    }
    const states = asked.map((route) => ({ id: route.owner.triggerId, ...route.health() }));
    const first = states.find(({ reason }) => reason !== null) ?? states[0]!;
    const shown = ({ id, reason, queueSize }: typeof first) => ({
      status: reason === null ? 'healthy' : 'unavailable',
      reason,
      trigger_id: id,
      queue_size: queueSize,
    });
    const triggers: Json = states.map(shown);
    return {
      status: first.reason === null ? 200 : 503,
      body: { ...shown(first), ...(states.length > 1 ? { triggers } : {}) },
    };
  }
}

function whyNotListening(error: Error, host: string, port: number): AppError {
  const code = codeOf(error);
  const detail = { host, port, code };
  if (code === 'EADDRINUSE') {
    return new AppError(
      'trigger.port-taken',
      `Port ${port} of ${host} is in use by another program. End that program, or give the webhook another port.`,
      detail,
      { cause: error },
    );
  }
  return new AppError(
    'trigger.bad-address',
    `Nothing can listen on port ${port} of ${host}: ${messageOf(error)}. Name an address of this machine and a port from 1025 on.`,
    detail,
    { cause: error },
  );
}
