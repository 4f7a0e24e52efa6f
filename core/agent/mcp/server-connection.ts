// One server of tools as its worker has it: started when it is first needed, shared by all turns, and when it dies left alone
// for a while that doubles, so that a server which can't live does not take its worker's time.
//
// * A call is either certainly not sent, or answered, or nobody knows [S28].
// * Whatever a server does ends at worst its own connection.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidatorResult, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { z } from 'zod';
import type { ToolServer } from '../../model/agent-plan.ts';
import { backoffMs } from '../../model/backoff.ts';
import { AppError, messageOf } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { ServerStatus } from '../../model/tools.ts';
import { VERSION } from '../../model/version.ts';
import { cleanLine } from './clean-text.ts';
import { listAll } from './list-all.ts';
import { filledServer, openTransport, type Fill, type OpenedTransport } from './open-transport.ts';
import { serverRoots } from './server-roots.ts';
import { NotSent } from './transport-errors.ts';

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** One that lived for so long did not die of being started. */
const LIVED_MS = 60_000;
const MAX_START_MS = 30_000;
/** Calls end by their own signal. */
const NO_TIMEOUT_MS = 2_147_483_647;
const MAX_WHY = 400;
const ROOTS_PINGS = 3;

const Anything = z.looseObject({});
/** What servers declare of their answers is looked at where an answer is read, and never compiled unseen. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: <T>() => {
    return (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    });
  },
};

interface Live {
  readonly client: Client;
  readonly opened: OpenedTransport;
  readonly filled: string;
  readonly since: number;
  tools: readonly Json[];
  /** What it offers may have changed since. */
  isOld: boolean;
}

export interface ConnectionOptions {
  readonly name: string;
  readonly server: ToolServer;
  /** Absolute. */
  readonly workspace: string;
  readonly onChange: () => void;
}

export class ServerConnection {
  readonly #options: ConnectionOptions;
  #live: Live | null = null;
  #starting: Promise<Live> | null = null;
  #down: { readonly why: string; readonly retryAt: number } | null = null;
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
    return this.#down === null ? { ...told, state: 'idle' } : { server, state: 'down', ...this.#down };
  }

  /**
   * What it offers now, as it came. Secrets that have changed since it was started are given to it first.
   * @throws NotSent where it can't be asked
   */
  async tools(fill: Fill, signal: AbortSignal): Promise<readonly Json[]> {
    await this.#refill(fill);
    const live = await this.#connected(fill);
    // Who tells of no changes is asked each time.
    const tellsChanges = live.client.getServerCapabilities()?.tools?.listChanged === true;
    return live.isOld || !tellsChanges ? this.#listed(live, signal) : live.tools;
  }

  /** The same, as it told last: asked again only where it said itself that something has changed. */
  async known(fill: Fill, signal: AbortSignal): Promise<readonly Json[]> {
    const live = await this.#connected(fill);
    return live.isOld ? this.#listed(live, signal) : live.tools;
  }

  async #listed(live: Live, signal: AbortSignal): Promise<readonly Json[]> {
    live.isOld = false;
    const tools = await this.#asked(live, () => listAll(live.client, { timeoutMs: this.#startMs, signal }));
    live.tools = tools;
    return tools;
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
    if (Date.now() - live.since > LIVED_MS) this.#failures = 0;
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

  async #connected(fill: Fill): Promise<Live> {
    if (this.#live !== null) return this.#live;
    const { name } = this.#options;
    if (this.#starting === null) {
      if (this.#down !== null && Date.now() < this.#down.retryAt) {
        const seconds = Math.ceil((this.#down.retryAt - Date.now()) / 1_000);
        throw notSent(name, `${this.#down.why}; it is not tried again for ${seconds} s`);
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

  async #start(fill: Fill): Promise<Live> {
    const { name, server, workspace } = this.#options;
    let opened: OpenedTransport | null = null;
    const begun = performance.now();
    try {
      const filled = await filledServer(server, fill);
      const roots = await serverRoots(workspace, server.roots);
      opened = await openTransport(name, filled, workspace);
      const client = new Client(
        { name: 'holdfast', version: VERSION },
        { capabilities: roots.length > 0 ? { roots: {} } : {}, jsonSchemaValidator: NO_VALIDATION },
      );
      if (roots.length > 0) {
        client.setRequestHandler(ListRootsRequestSchema, () => ({
          roots: roots.map((root) => ({ ...root })),
        }));
      }
      await client.connect(opened.transport, { timeout: this.#startMs });
      const since = Date.now();
      const live: Live = { client, opened, filled: JSON.stringify(filled), since, tools: [], isOld: false };
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
        live.isOld = true;
      });
      live.tools = await listAll(client, {
        timeoutMs: this.#startMs,
        signal: AbortSignal.timeout(this.#startMs),
      });
      // It asks for its roots once it is told that it may begin; what it does with them takes it a moment more.
      for (let turn = 0; turn < (roots.length > 0 ? ROOTS_PINGS : 0); turn += 1) {
        await client.ping({ timeout: this.#startMs });
      }
      // The protocol calls its listeners by these names, and has no other way to add one.
      Object.assign(client, {
        onclose: () => this.#closed(live),
        onerror: (error: Error) => {
          if (error instanceof SseError) this.lost(`its stream broke: ${messageOf(error)}`);
        },
      });
      if (opened.end() !== null) throw new Error('it ended');
      this.#live = live;
      this.#down = null;
      return live;
    } catch (error) {
      const isLate = performance.now() - begun >= this.#startMs;
      const late = `it did not answer within ${this.#startMs / 1_000} s`;
      const why = isLate ? late : (opened?.end() ?? messageOf(error));
      this.#failed(why);
      await opened?.transport.close().catch(() => {}); // it is gone all the same
      throw new Error(this.#down?.why ?? why, { cause: error });
    }
  }

  #closed(live: Live): void {
    if (this.#live === live) this.lost(live.opened.end() ?? 'the connection ended');
  }

  #failed(why: string): void {
    this.#live = null;
    this.#failures += 1;
    const wait = Math.min(MAX_BACKOFF_MS, backoffMs(FIRST_BACKOFF_MS, this.#failures));
    this.#down = { why: cleanLine(why, MAX_WHY), retryAt: Date.now() + wait };
    this.#options.onChange();
  }

  async #asked<T>(live: Live, ask: () => Promise<T>): Promise<T> {
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
