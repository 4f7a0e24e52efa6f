// The client's end of a host's local socket.

import { createConnection, type Socket } from 'node:net';
import type { ConsoleEvent } from '../contract/console-host.ts';
import type { Result } from '../contract/define.ts';
import { EVENTS } from '../contract/events.ts';
import { REQUESTS, type RequestName, type RequestOf, type ResponseOf } from '../contract/requests.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { lineReader } from './line-reader.ts';
import { FromHost, fromLine, MAX_ANSWER_BYTES, refused, toLine } from './socket-protocol.ts';
import { checkSocket } from './socket-path.ts';

const CONNECT_PATIENCE_MS = 2_000;

export interface HostConnection {
  /** Never rejects. `patienceMs`: how long the answer may take before that is the answer. */
  request<N extends RequestName>(
    name: N,
    request: RequestOf<N>,
    patienceMs?: number,
  ): Promise<Result<ResponseOf<N>>>;
  /** The same for what is not known to be a request. */
  forward(name: string, request: unknown, patienceMs?: number): Promise<Result<unknown>>;
  /** Resolves when from now on the listener hears what the host says unasked, or with why it does not. Never rejects. */
  subscribe(listener: (event: ConsoleEvent) => void, patienceMs?: number): Promise<Result<unknown>>;
  /** Resolves with the reason when the connection is over. */
  readonly gone: Promise<AppError>;
  /** The reason is what {@link gone} gives, and every request that waits. */
  close(reason: AppError): void;
}

/**
 * Connects to the host that listens at a path.
 * @throws `socket.none` when nobody does, `socket.not-private`, `socket.unusable`
 */
export async function connectToHost(path: string): Promise<HostConnection> {
  checkSocket(path);
  const socket = await connected(path);
  return new Connected(socket);
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const fail = (code: string, why: string, cause?: unknown): void => {
      socket.destroy();
      reject(new AppError(code, `No host can be reached at ${path}: ${why}.`, { path }, { cause }));
    };
    const silent = (): void => fail('socket.unusable', 'it does not answer');
    const failed = (error: Error): void => {
      const isNobody = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(codeOf(error));
      fail(isNobody ? 'socket.none' : 'socket.unusable', messageOf(error), error);
    };
    socket.setTimeout(CONNECT_PATIENCE_MS, silent);
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.setTimeout(0, silent);
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

class Connected implements HostConnection {
  readonly gone: Promise<AppError>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (result: Result<unknown>) => void>();
  #listener: ((event: ConsoleEvent) => void) | null = null;
  #nextId = 1;
  #reason: AppError | null = null;
  #tellGone: (reason: AppError) => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
    socket.on('error', () => {}); // Its close follows.
    socket.once('close', () => this.close(ended()));
    socket.on(
      'data',
      lineReader(
        MAX_ANSWER_BYTES,
        (line) => this.#heard(line),
        () => this.close(otherVersion('it sent an endless line')),
      ),
    );
  }

  async request<N extends RequestName>(
    name: N,
    request: RequestOf<N>,
    patienceMs?: number,
  ): Promise<Result<ResponseOf<N>>> {
    return (await this.#ask(name, { name, request }, patienceMs)) as Result<ResponseOf<N>>;
  }

  forward(name: string, request: unknown, patienceMs?: number): Promise<Result<unknown>> {
    return this.#ask(name, { name, request }, patienceMs);
  }

  subscribe(listener: (event: ConsoleEvent) => void, patienceMs?: number): Promise<Result<unknown>> {
    this.#listener = listener;
    return this.#ask(null, { subscribe: true }, patienceMs);
  }

  async #ask(name: string | null, asked: object, patienceMs?: number): Promise<Result<unknown>> {
    if (this.#reason !== null) return refused(this.#reason.code, this.#reason.message);
    const id = this.#nextId++;
    const answer = new Promise<Result<unknown>>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    this.#socket.write(toLine({ id, ...asked }));
    const result = await (patienceMs === undefined ? answer : within(patienceMs, answer));
    this.#waiting.delete(id);
    return name === null || !result.ok ? result : asAgreed(name, result);
  }

  #heard(line: string): void {
    const parsed = FromHost.safeParse(fromLine(line));
    if (!parsed.success) {
      this.close(otherVersion('it sent what no host sends'));
      return;
    }
    const said = parsed.data;
    if ('event' in said) this.#told(said.event.name, said.event.payload);
    else if (said.id !== null) this.#waiting.get(said.id)?.(said.result as Result<unknown>);
    else if (!said.result.ok) this.close(new AppError(said.result.error.code, said.result.error.message));
  }

  #told(name: string, payload: unknown): void {
    if (!Object.hasOwn(EVENTS, name)) return; // A later version says more.
    const parsed = EVENTS[name as keyof typeof EVENTS].safeParse(payload);
    if (parsed.success) this.#listener?.({ name, payload: parsed.data } as ConsoleEvent);
    else this.close(otherVersion(`its ${name} is not as agreed`));
  }

  close(reason: AppError): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#listener = null;
    this.#socket.destroy();
    for (const answer of this.#waiting.values()) answer(refused(reason.code, reason.message));
    this.#waiting.clear();
    this.#tellGone(reason);
  }
}

async function within(patienceMs: number, answer: Promise<Result<unknown>>): Promise<Result<unknown>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result<unknown>>((resolve) => {
    timer = setTimeout(
      () => resolve(refused('host.silent', `The host did not answer within ${patienceMs / 1000} s.`)),
      patienceMs,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function asAgreed(name: string, result: { readonly ok: true; readonly value: unknown }): Result<unknown> {
  if (!Object.hasOwn(REQUESTS, name)) return result;
  const parsed = REQUESTS[name as RequestName].response.safeParse(result.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const { code, message } = otherVersion(`its answer to ${name} is not as agreed`);
  return refused(code, message);
}

function otherVersion(why: string): AppError {
  return new AppError(
    'host.other-version',
    `The host is of another version than this program: ${why}. Use the program that started it, or start the host again with this one.`,
  );
}

function ended(): AppError {
  return new AppError('host.gone', 'The host has ended, or has ended this connection.');
}
