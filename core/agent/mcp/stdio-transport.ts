// Messages to and from a server that runs here, one a line.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { boundedMessages } from './bounded-messages.ts';
import type { ServerCommand } from './server-command.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { NotSent, tooLargeMessage } from './transport-errors.ts';

export interface StdioOptions {
  readonly command: ServerCommand;
  /** Absolute. */
  readonly cwd: string;
  readonly maxMessageBytes: number;
  readonly onStderr: (text: string) => void;
}

const TERM_AFTER_MS = 500;
const KILL_AFTER_MS = 2_000;
/** Lines on its output that are no messages; more of them, and it speaks another language. */
const MAX_GARBAGE = 1_000;
/** What waits to be read by a server that does not read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T) => void) | undefined;
  readonly #options: StdioOptions;
  #server: ServerProcess | null = null;
  #garbage = 0;
  #isClosed = false;
  /** Why it was closed, or how it ended. */
  #end: string | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Null while it lives. */
  get end(): string | null {
    return this.#end;
  }

  async start(): Promise<void> {
    const { command, cwd, maxMessageBytes, onStderr } = this.#options;
    const server = startServer(command, cwd);
    this.#server = server;
    const take = boundedMessages(maxMessageBytes, {
      onLine: (line) => this.#heard(line),
      onOverlong: ({ bytes, answers }) => {
        if (answers === null) this.#stop(`it sent a message of ${bytes} bytes that answers nothing`);
        else this.onmessage?.(tooLargeMessage(answers, bytes));
      },
    });
    server.stdout.on('data', (chunk: Buffer) => {
      if (!this.#isClosed) take(chunk);
    });
    server.stderr.setEncoding('utf8').on('data', onStderr);
    void server.ended.then((how) => {
      this.#end ??= how;
      // Its descendants may hold its output; what it said itself is there by then.
      setImmediate(() => this.#closed());
    });
    await server.started;
  }

  #heard(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = JSONRPCMessageSchema.parse(JSON.parse(line));
    } catch {
      this.#garbage += 1;
      if (this.#garbage > MAX_GARBAGE) this.#stop('what it writes to its output are no messages');
      else this.onerror?.(new Error('it wrote a line that is no message'));
      return;
    }
    this.onmessage?.(message);
  }

  #stop(why: string): void {
    this.#end ??= why;
    this.onerror?.(new Error(why));
    this.#server?.kill('SIGKILL');
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  // Rejects rather than throws: the protocol takes back what was not sent only then.
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#server?.stdin ?? null;
    if (this.#isClosed || this.#end !== null || stdin === null || !stdin.writable) {
      throw new NotSent(this.#end ?? 'it does not run');
    }
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new NotSent('it does not read what it is sent');
    stdin.write(`${JSON.stringify(message)}\n`);
    await Promise.resolve();
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#end ??= 'it was closed';
    this.#closed();
    if (server === null || server.isOver()) return;
    const timers = [
      setTimeout(() => server.kill('SIGTERM'), TERM_AFTER_MS),
      setTimeout(() => server.kill('SIGKILL'), KILL_AFTER_MS),
    ];
    server.stdin.end();
    await server.ended;
    timers.forEach((timer) => clearTimeout(timer));
  }
}
