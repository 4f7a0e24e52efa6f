import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Answer, EventName, Method, Params, Payload } from './protocol.ts';

interface Waiting {
  readonly method: string;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** What is being talked to has gone: the window was closed, or Chromium ended. Nothing is left to do for it. */
export class GoneError extends Error {
  constructor(method: string) {
    super(`${method}: what it was meant for has been closed.`);
    this.name = 'GoneError';
  }
}

const GONE =
  /Session with given id not found|No target with given id|Not attached|Target closed|No session with given id|Inspected target navigated or closed|Cannot find context|No frame with given id|Invalid InterceptionId|uniqueContextId not found/i;

/** One conversation with Chromium over its debugging pipe: JSON messages that end in a zero byte. */
export class Connection {
  readonly #input: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #emitter = new EventEmitter({ captureRejections: false }).setMaxListeners(0);
  #lastId = 0;
  #closed = false;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    let rest = '';
    output.setEncoding('utf8');
    output.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\0');
      rest = parts.pop()!;
      for (const part of parts) this.#receive(JSON.parse(part) as Message);
    });
    output.on('close', () => this.close());
    // A broken pipe means that Chromium has gone, which its exit reports.
    input.on('error', () => this.close());
  }

  #receive(message: Message): void {
    if (message.id === undefined) {
      this.#emitter.emit(`${message.sessionId ?? ''}:${message.method}`, message.params);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (!message.error) waiting.resolve(message.result);
    else if (GONE.test(message.error.message)) waiting.reject(new GoneError(waiting.method));
    else waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
  }

  send<M extends Method>(method: M, params?: Params<M>, sessionId = ''): Promise<Answer<M>> {
    if (this.#closed) return Promise.reject(new GoneError(method));
    const id = ++this.#lastId;
    return new Promise<Answer<M>>((resolve, reject) => {
      this.#waiting.set(id, { method, resolve: (answer) => resolve(answer as Answer<M>), reject });
      this.#input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  on<E extends EventName>(event: E, listener: (payload: Payload<E>) => void, sessionId = ''): () => void {
    const key = `${sessionId}:${event}`;
    this.#emitter.on(key, listener);
    return () => void this.#emitter.off(key, listener);
  }

  session(sessionId: string): Session {
    return {
      send: (method, params) => this.send(method, params, sessionId),
      on: (event, listener) => this.on(event, listener, sessionId),
    };
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(new GoneError(waiting.method));
    this.#waiting.clear();
  }
}

/** The part of a conversation that concerns one window. */
export interface Session {
  send<M extends Method>(method: M, params?: Params<M>): Promise<Answer<M>>;
  on<E extends EventName>(event: E, listener: (payload: Payload<E>) => void): () => void;
}

/** For what nobody waits for: a window that has gone meanwhile is no error, anything else is reported. */
export function background(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof GoneError)) console.error('stand-in:', error);
  });
}
