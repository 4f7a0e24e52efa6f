// A server that says more than anybody could want to hear is not heard any more. The answer to a question is not counted, once.

import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { tokenBucket } from '../token-bucket.ts';

const BURST = 2_000;
const PER_SECOND = 200;

export class GuardedTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T) => void) | undefined;
  readonly #inner: Transport;
  readonly #bucket = tokenBucket({ capacity: BURST, perSecond: PER_SECOND });
  /** Questions that have no answer yet. */
  readonly #open = new Set<RequestId>();
  #flood: string | null = null;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** Why it is not heard any more; null while it is. */
  get flood(): string | null {
    return this.#flood;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    const inner = this.#inner;
    Object.assign(inner, {
      onclose: () => this.onclose?.(),
      onerror: (error: Error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage) => this.#heard(message),
    });
    return inner.start();
  }

  #heard(message: JSONRPCMessage): void {
    if (this.#flood !== null) return;
    const now = performance.now();
    if (!this.#isAnswer(message)) this.#bucket.take(now, 1);
    if (this.#bucket.level(now) >= 0) {
      this.onmessage?.(message);
      return;
    }
    this.#flood = 'it sent messages without end that nobody asked for';
    this.close().catch((error: unknown) => this.onerror?.(error as Error));
  }

  #isAnswer(message: JSONRPCMessage): boolean {
    return !('method' in message) && message.id !== undefined && this.#open.delete(message.id);
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message) this.#open.add(message.id);
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }
}
