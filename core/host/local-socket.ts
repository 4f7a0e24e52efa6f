// The same contract as the window's, over a socket of this user's: for a second console, and for the command line. Nothing
// that a client does or leaves undone may cost the host more than is said here: the length of a line, the number of
// requests in hand and of connections are bounded, and a client that does not read is dropped.

import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { ConsoleEvent } from '../contract/console-host.ts';
import type { Result } from '../contract/define.ts';
import { REQUESTS, type RequestName } from '../contract/requests.ts';
import { PRIVATE_FILE } from '../journal/layout.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { lineReader } from './line-reader.ts';
import { FromConsole, fromLine, MAX_REQUEST_BYTES, refused, toLine } from './socket-protocol.ts';
import { makeSocketDirectory } from './socket-path.ts';

/** One console's share of a host: what it watches is its own, and the rest is everybody's. */
export interface ConsoleSession {
  handle(name: string, request: unknown): Promise<Result<unknown>>;
  /** From now on it is told what the host says unasked, what it watches too. */
  subscribe(): void;
  /** It is told nothing more, and watches nothing any more. */
  unsubscribe(): void;
  close(): void;
}
export type OpenSession = (tell: (event: ConsoleEvent) => void) => ConsoleSession;

const MAX_CONNECTIONS = 64;
/** Of one connection, at a time; more wait, and with them the client. */
const MAX_IN_HAND = 32;
/** What one client has not read yet. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
const PROBE_PATIENCE_MS = 2_000;

/** They ask the person in front of the host's own screen, and whoever is behind a socket is not that person. */
const NEED_A_SCREEN: ReadonlySet<string> = new Set<RequestName>(['journals.choose']);
/** Everything else that the contract has. */
const SERVED: ReadonlySet<string> = new Set(Object.keys(REQUESTS).filter((name) => !NEED_A_SCREEN.has(name)));

export interface LocalSocket {
  readonly path: string;
  /** Nobody new can connect from now on; the address is free. */
  stopListening(): void;
  /** Ends every connection, after the answers that are on their way. */
  close(): void;
}

export interface LocalSocketOptions {
  /** What {@link socketPath} gives. */
  readonly path: string;
  readonly open: OpenSession;
  /** How many connections want to be told. */
  readonly onSubscribers: (count: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Listens for consoles. Whoever calls this holds the journal that the path is called after, so what is found there of a
 * host that is gone is replaced.
 * @throws `socket.in-use` where a host that lives listens, `socket.not-private`, `socket.unusable`
 */
export async function serveLocalSocket(options: LocalSocketOptions): Promise<LocalSocket> {
  const { path, open, onSubscribers, onFailure } = options;
  makeSocketDirectory(path);
  const connections = new Set<Connection>();
  const count = (): void =>
    onSubscribers([...connections].filter((connection) => connection.isSubscribed).length);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= MAX_CONNECTIONS) {
      turnAway(socket);
      return;
    }
    const connection = new Connection(socket, { open, onSubscribed: count, onFailure });
    connections.add(connection);
    socket.once('close', () => {
      connections.delete(connection);
      count();
    });
  });
  await listen(server, path);
  server.on('error', onFailure);
  return {
    path,
    stopListening: () => void server.close(),
    close: () => {
      if (server.listening) server.close();
      for (const connection of connections) connection.end();
    },
  };
}

function turnAway(socket: Socket): void {
  socket.on('error', () => {}); // It is being ended anyway.
  const result = refused(
    'socket.full',
    `${MAX_CONNECTIONS} consoles and commands are connected to this host, and it takes no more. Close some of them.`,
  );
  socket.end(toLine({ id: null, result }), () => socket.destroy());
}

async function listen(server: Server, path: string): Promise<void> {
  try {
    try {
      await bind(server, path);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
      await clear(path);
      await bind(server, path);
    }
  } catch (error) {
    if (server.listening) server.close();
    if (error instanceof AppError) throw error;
    throw new AppError(
      'socket.unusable',
      `No other console and no command can reach this one, since its socket can't be made: ${messageOf(error)}. Check ${path}.`,
      { path, code: codeOf(error) },
      { cause: error },
    );
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
    // It is there as soon as the call returns, if it ever will be, and the directory keeps others out until then.
    if (process.platform !== 'win32' && server.listening) chmodSync(path, PRIVATE_FILE);
  });
}

/** @throws `socket.in-use` */
async function clear(path: string): Promise<void> {
  if (process.platform === 'win32' || (await isAnswered(path))) {
    throw new AppError(
      'socket.in-use',
      `Another host listens at ${path} already, for a journal with the same id. No other console and no command can reach this one; end that host, then start this one again.`,
      { path },
    );
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) unlinkSync(path);
}

/** Whether somebody takes connections there: the kernel does that for a process that is stopped too. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const answer = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(PROBE_PATIENCE_MS, () => answer(true));
    socket.once('connect', () => answer(true));
    // Full is full of somebody.
    socket.once('error', (error) => answer(codeOf(error) === 'EAGAIN'));
  });
}

interface ConnectionOptions {
  readonly open: OpenSession;
  readonly onSubscribed: () => void;
  readonly onFailure: (error: unknown) => void;
}

class Connection {
  isSubscribed = false;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #session: ConsoleSession;
  readonly #waiting: FromConsole[] = [];
  #inHand = 0;
  /** Nothing is read any more; what is in hand is still answered. */
  #isEnding = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#session = options.open((event) => this.#write({ event }));
    socket.on('error', () => {}); // Its close follows.
    socket.once('close', () => this.#session.close());
    socket.once('end', () => this.end());
    socket.on(
      'data',
      lineReader(
        MAX_REQUEST_BYTES,
        (line) => this.#heard(line),
        () =>
          this.#refuse(
            'socket.line-too-long',
            `A line of more than ${MAX_REQUEST_BYTES} bytes is no request.`,
          ),
      ),
    );
  }

  /** Ends it after the answers to what was asked. */
  end(): void {
    this.#isEnding = true;
    this.#session.unsubscribe();
    if (this.#inHand === 0 && this.#waiting.length === 0) this.#part();
  }

  #heard(line: string): void {
    if (this.#isEnding) return;
    const parsed = FromConsole.safeParse(fromLine(line));
    if (!parsed.success) {
      this.#refuse(
        'socket.bad-line',
        'That line is no request: each is one JSON value {"id", "name", "request"} or {"id", "subscribe"}, on a line of its own.',
      );
      return;
    }
    this.#waiting.push(parsed.data);
    this.#goOn();
  }

  /** Says why, and ends: who sends this is no console. */
  #refuse(code: string, message: string): void {
    this.#isEnding = true;
    this.#waiting.length = 0;
    this.#write({ id: null, result: refused(code, message) });
    this.#part();
  }

  /** Whether the other side ends too is its own affair. */
  #part(): void {
    if (!this.#socket.writableEnded) this.#socket.end(() => this.#socket.destroy());
  }

  #goOn(): void {
    while (this.#inHand < MAX_IN_HAND && this.#waiting.length > 0) {
      this.#inHand += 1;
      void this.#answer(this.#waiting.shift()!);
    }
    if (this.#waiting.length > 0) this.#socket.pause();
    else this.#socket.resume();
    if (this.#isEnding) this.end();
  }

  async #answer(asked: FromConsole): Promise<void> {
    try {
      this.#write({ id: asked.id, result: await this.#resultOf(asked) });
    } catch (error) {
      // A host never rejects, and its answers are data.
      this.#options.onFailure(error);
      this.#socket.destroy();
    } finally {
      this.#inHand -= 1;
      this.#goOn();
    }
  }

  async #resultOf(asked: FromConsole): Promise<Result<unknown>> {
    if ('subscribe' in asked) {
      this.isSubscribed = asked.subscribe;
      if (asked.subscribe) this.#session.subscribe();
      else this.#session.unsubscribe();
      this.#options.onSubscribed();
      return { ok: true, value: {} };
    }
    const { name, request } = asked;
    if (NEED_A_SCREEN.has(name)) {
      return refused(
        'socket.needs-a-screen',
        `${name} asks the person in front of the host's own window, so it can't be asked over a socket. Open a journal by its path instead.`,
      );
    }
    if (!SERVED.has(name)) {
      return refused(
        'request.unknown',
        `This host knows no request ${JSON.stringify(name)}. Console and host must be of one version.`,
      );
    }
    return this.#session.handle(name, request);
  }

  #write(value: object): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) {
      // It does not read: what it misses can't be kept for it for ever.
      this.#socket.destroy();
      return;
    }
    this.#socket.write(toLine(value));
  }
}
