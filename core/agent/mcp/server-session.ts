// The beginning of a session with a server of tools: started or reached, told its roots, and asked what it offers.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidatorResult, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import type { ToolServer } from '../../model/agent-plan.ts';
import { messageOf } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { VERSION } from '../../model/version.ts';
import { listAll } from './list-all.ts';
import { filledServer, openTransport, type Fill, type OpenedTransport } from './open-transport.ts';
import { serverRoots } from './server-roots.ts';

/** It asks for its roots once it is told that it may begin; what it does with them takes it a moment more. */
const ROOTS_PINGS = 3;

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

export interface ServerSession {
  readonly client: Client;
  readonly opened: OpenedTransport;
  /** With which secrets in their places it was begun. */
  readonly filled: string;
  /** By `performance.now()`, for the clock may be set. */
  readonly since: number;
  tools: readonly Json[];
  /** What it offers may have changed since. */
  isOld: boolean;
  /** It is being asked, for all who want to know. */
  listing: Promise<readonly Json[]> | null;
}

export interface SessionOptions {
  readonly name: string;
  readonly server: ToolServer;
  /** Absolute. */
  readonly workspace: string;
}

/**
 * All of it together may take `maxMs`.
 * @throws Error with why there is none; nothing of it runs on then
 */
export async function beginSession(
  { name, server, workspace }: SessionOptions,
  fill: Fill,
  maxMs: number,
): Promise<ServerSession> {
  let opened: OpenedTransport | null = null;
  const begun = performance.now();
  const leftMs = (): number => Math.max(1, Math.ceil(begun + maxMs - performance.now()));
  try {
    const filled = await filledServer(server, fill);
    const roots = await serverRoots(workspace, server.roots);
    opened = await openTransport(name, filled, workspace);
    const client = new Client(
      { name: 'holdfast', version: VERSION },
      { capabilities: roots.length > 0 ? { roots: {} } : {}, jsonSchemaValidator: NO_VALIDATION },
    );
    if (roots.length > 0) {
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((root) => ({ ...root })) }));
    }
    await client.connect(opened.transport, { timeout: leftMs() });
    const session: ServerSession = {
      client,
      opened,
      filled: JSON.stringify(filled),
      since: performance.now(),
      tools: [],
      isOld: false,
      listing: null,
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      session.isOld = true;
    });
    session.tools = await listAll(client, leftMs());
    for (let ping = 0; ping < (roots.length > 0 ? ROOTS_PINGS : 0); ping += 1) {
      await client.ping({ timeout: leftMs() });
    }
    return session;
  } catch (error) {
    const isLate = performance.now() - begun >= maxMs;
    const why = isLate ? `it did not answer within ${maxMs / 1_000} s` : (opened?.end() ?? messageOf(error));
    await opened?.transport.close().catch(() => {}); // it is gone all the same
    throw new Error(why, { cause: error });
  }
}
