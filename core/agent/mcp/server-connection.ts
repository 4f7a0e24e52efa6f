// One server of tools as its worker has it: started when it is first needed, shared by all turns, and when it dies left alone
// for a while that doubles, so that a server which can't live does not take its worker's time.
//
// * A call is either certainly not sent, or answered, or nobody knows [S28].
// * Whatever a server does ends at worst its own connection.

import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { z } from 'zod';
import { backoffMs } from '../../model/backoff.ts';
import { AppError, messageOf } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { ServerStatus } from '../../model/tools.ts';
import { cleanLine } from './clean-text.ts';
import { listAll } from './list-all.ts';
import { filledServer, type Fill } from './open-transport.ts';
import { beginSession, type ServerSession, type SessionOptions } from './server-session.ts';
import { NotSent } from './transport-errors.ts';

const FIRST_BACKOFF_MS = 1_000;
/** One that lived for so long did not die of being started. */
const LIVED_MS = 60_000;
const MAX_START_MS = 30_000;
/** Calls end by their own signal. */
const NO_TIMEOUT_MS = 2_147_483_647;
const MAX_WHY = 400;
/** So often a server is asked in a row that tells of a change each time. */
const MAX_LISTINGS = 3;

const Anything = z.looseObject({});

interface Down {
  readonly why: string;
  /** For people, by the clock. */
  readonly retryAt: number;
  /** By `performance.now()`, for the clock may be set. */
  readonly tryFrom: number;
}

export interface ConnectionOptions extends SessionOptions {
  readonly onChange: () => void;
}

export class ServerConnection {
  readonly #options: ConnectionOptions;
  #live: ServerSession | null = null;
  #starting: Promise<ServerSession> | null = null;
  #down: Down | null = null;
  #failures = 0;
  #calls = 0;
  #isRetired = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get status(): ServerStatus {
    const { name: server } = this.#options;
    const told = { server, why: '', retryAt: null };
    if (this.#starting !== null) return { ...told, state: 'starting' };
    if (this.#live !== null) return { ...told, state: 'connected' };
    if (this.#down === null) return { ...told, state: 'idle' };
    const { why, retryAt } = this.#down;
    return { server, state: 'down', why, retryAt };
  }

  /**
   * What it offers now, as it came. Secrets that have changed since it was started are given to it first.
   * @throws NotSent where it can't be asked
   */
  async tools(fill: Fill): Promise<readonly Json[]> {
    await this.#refill(fill);
    const live = await this.#connected(fill);
    // Who tells of no changes is asked each time.
    const tellsChanges = live.client.getServerCapabilities()?.tools?.listChanged === true;
    return tellsChanges ? this.#upToDate(live) : this.#listed(live);
  }

  /** The same, as it told last: asked again only where it said itself that something has changed. */
  async known(fill: Fill): Promise<readonly Json[]> {
    return this.#upToDate(await this.#connected(fill));
  }

  /** Whoever comes while it is being asked waits for that: what it said before may not be so any more. */
  async #upToDate(live: ServerSession): Promise<readonly Json[]> {
    return live.isOld || live.listing !== null ? this.#listed(live) : live.tools;
  }

  #listed(live: ServerSession): Promise<readonly Json[]> {
    live.listing ??= this.#list(live).finally(() => {
      live.listing = null;
    });
    return live.listing;
  }

  async #list(live: ServerSession): Promise<readonly Json[]> {
    for (let round = 1; round === 1 || (live.isOld && round <= MAX_LISTINGS); round += 1) {
      live.isOld = false;
      live.tools = await this.#asked(live, () => listAll(live.client, this.#startMs));
    }
    return live.tools;
  }

  /**
   * What it answers, as it came.
   * @throws NotSent where it was certainly not sent; what else is thrown by the protocol is either its answer or a doubt
   */
  async call(
    tool: string,
    args: JsonObject,
    { fill, signal }: { readonly fill: Fill; readonly signal: AbortSignal },
  ): Promise<JsonObject> {
    const live = await this.#connected(fill);
    signal.throwIfAborted();
    // It may have been closed as soon as it was there.
    if (this.#live !== live) throw notSent(this.#options.name, this.#down?.why ?? 'it was closed');
    this.#calls += 1;
    try {
      const request = { method: 'tools/call' as const, params: { name: tool, arguments: args } };
      return (await live.client.request(request, Anything, { signal, timeout: NO_TIMEOUT_MS })) as JsonObject;
    } catch (error) {
      if (this.#live === live || error instanceof NotSent) throw error;
      // What the protocol says of it does not tell how it came.
      const why = this.#down?.why ?? 'it was closed';
      throw new AppError(
        'mcp.lost',
        `${this.#options.name} was lost during the call: ${why}`,
        {},
        { cause: error },
      );
    } finally {
      this.#calls -= 1;
      if (this.#isRetired && this.#calls === 0) await this.close();
    }
  }

  /** It is no use any more, and not tried again before its time. */
  lost(why: string): void {
    const live = this.#live;
    if (live === null) return;
    if (performance.now() - live.since > LIVED_MS) this.#failures = 0;
    this.#failed(why);
    void live.client.close().catch(() => {}); // it is gone all the same
  }

  /** Ends it once nobody waits for it any more. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#calls === 0) await this.close();
  }

  async close(): Promise<void> {
    const live = this.#live ?? (await this.#starting?.catch(() => null)) ?? null;
    this.#live = null;
    this.#down = null;
    await live?.client.close();
    this.#options.onChange();
  }

  get #startMs(): number {
    return Math.min(this.#options.server.timeoutMs, MAX_START_MS);
  }

  async #refill(fill: Fill): Promise<void> {
    const live = this.#live;
    if (live === null || this.#calls > 0) return;
    const filled = await filledServer(this.#options.server, fill).catch((error: unknown) => {
      // A secret that it may have no more, it has no more.
      this.lost(messageOf(error));
      throw notSent(this.#options.name, messageOf(error));
    });
    if (JSON.stringify(filled) !== live.filled && this.#live === live && this.#calls === 0)
      await this.close();
  }

  async #connected(fill: Fill): Promise<ServerSession> {
    if (this.#live !== null) return this.#live;
    const { name } = this.#options;
    if (this.#starting === null) {
      const leftMs = (this.#down?.tryFrom ?? 0) - performance.now();
      if (this.#down !== null && leftMs > 0) {
        throw notSent(name, `${this.#down.why}; it is not tried again for ${Math.ceil(leftMs / 1_000)} s`);
      }
      this.#starting = this.#start(fill).finally(() => {
        this.#starting = null;
        this.#options.onChange();
      });
      this.#options.onChange();
    }
    try {
      return await this.#starting;
    } catch (error) {
      throw notSent(name, messageOf(error));
    }
  }

  async #start(fill: Fill): Promise<ServerSession> {
    try {
      const live = await beginSession(this.#options, fill, this.#startMs);
      // The protocol calls its listeners by these names, and has no other way to add one.
      Object.assign(live.client, {
        onclose: () => this.#closed(live),
        onerror: (error: Error) => {
          if (error instanceof SseError) this.lost(`its stream broke: ${messageOf(error)}`);
        },
      });
      const end = live.opened.end();
      if (end !== null) throw new Error(end);
      this.#live = live;
      this.#down = null;
      return live;
    } catch (error) {
      const why = this.#failed(messageOf(error));
      throw new Error(why, { cause: error });
    }
  }

  #closed(live: ServerSession): void {
    if (this.#live === live) this.lost(live.opened.end() ?? 'the connection ended');
  }

  /** Gives why, as it is told. */
  #failed(said: string): string {
    this.#live = null;
    this.#failures += 1;
    const why = cleanLine(said, MAX_WHY);
    const waitMs = backoffMs(FIRST_BACKOFF_MS, this.#failures);
    this.#down = { why, retryAt: Date.now() + waitMs, tryFrom: performance.now() + waitMs };
    this.#options.onChange();
    return why;
  }

  async #asked<T>(live: ServerSession, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (this.#live === live) this.lost(`it does not say what it offers: ${messageOf(error)}`);
      throw notSent(this.#options.name, this.#down?.why ?? messageOf(error));
    }
  }
}

function notSent(name: string, why: string): NotSent {
  return new NotSent(`${name} is down: ${why}`);
}
