// Tools of servers that speak MCP. What they say of themselves is a claim [S32], what they do is at worst their own harm.

import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { argsProblem } from '../../model/approval.ts';
import { schemaProblems } from '../../model/check-schema.ts';
import { AppError, codeOf, messageOf } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { DidNotHappen } from '../effect-errors.ts';
import type { ToolAnswer, ToolList, ToolOffer, ToolRequest, ToolSource, Turn } from '../llm/tool.ts';
import { NEVER_SENT } from '../never-sent.ts';
import type { ToolDesk } from '../run-invocation.ts';
import { cleanLine } from './clean-text.ts';
import { offerTools, sourceOf, toolNamed, type FoundServer, type FoundTool } from './offer-tools.ts';
import type { Fill } from './open-transport.ts';
import { ServerConnection } from './server-connection.ts';
import { answerOf, refusalAnswer, tooLargeAnswer } from './tool-answer.ts';
import { ANSWER_LOST, NotSent, TOO_LARGE } from './transport-errors.ts';

const MAX_MESSAGE = 1_000;
const MAX_LIE = 300;

export function mcpSource(): ToolSource {
  const connections = new Map<string, ServerConnection>();
  let tell: ToolDesk['tellServers'] = () => {};
  const onChange = (): void => tell([...connections.values()].map(({ status }) => status));

  const connectionTo = ({ plan, workspace, toolDesk }: Turn, name: string): ServerConnection | null => {
    const server = Object.hasOwn(plan.servers, name) ? plan.servers[name]! : null;
    if (server === null) return null;
    if (toolDesk !== undefined) tell = toolDesk.tellServers;
    const key = keyOf(name, server);
    const known = connections.get(key);
    if (known !== undefined) return known;
    const connection = new ServerConnection({ name, server, workspace, onChange });
    connections.set(key, connection);
    return connection;
  };

  /** What a newer plan has otherwise, or not at all; an invocation that began with it starts it again where it must. */
  const retireOthers = ({ plan }: Turn): void => {
    const wanted = new Set(Object.entries(plan.servers).map(([name, server]) => keyOf(name, server)));
    for (const [key, connection] of connections) {
      if (wanted.has(key)) continue;
      connections.delete(key);
      connection.retire().catch(() => {}); // it ends with its worker at the latest
    }
  };

  const find = async (turn: Turn, name: string): Promise<FoundServer | string> => {
    try {
      const tools = await connectionTo(turn, name)!.tools(fillOf(turn));
      return { name, server: turn.plan.servers[name]!, tools };
    } catch (error) {
      return cleanLine(messageOf(error), MAX_MESSAGE);
    }
  };

  return {
    list: async (turn): Promise<ToolList> => {
      retireOthers(turn);
      const names = Object.keys(turn.plan.servers);
      const found = await Promise.all(names.map((name) => find(turn, name)));
      const servers = found.filter((one) => typeof one !== 'string');
      const { offers, problems } = offerTools(servers, turn.plan, turn.toolDesk?.believed ?? {});
      onChange();
      return { offers, problems: [...found.filter((one) => typeof one === 'string'), ...problems] };
    },
    call: async (turn, offer, request): Promise<ToolAnswer> => {
      const name = Object.keys(turn.plan.servers).find((one) => sourceOf(one) === offer.source);
      const connection = name === undefined ? null : connectionTo(turn, name);
      if (connection === null)
        throw new DidNotHappen(`${offer.name}: its server is not part of the agent any more`);
      const { maxResultBytes } = turn.plan.servers[name!]!;
      try {
        const tool = await toolNow(connection, turn, offer);
        const args = argumentsOf(offer, request);
        if (typeof args === 'string') return { text: args, isError: true };
        const result = await connection.call(offer.tool, args, {
          fill: fillOf(turn),
          signal: request.signal,
        });
        const declared = tool?.said['outputSchema'] ?? null;
        return answerOf(result, { maxBytes: maxResultBytes, misfit: (value) => lieIn(declared, value) });
      } catch (error) {
        return failedCall(error, { offer, request, connection, maxResultBytes });
      }
    },
    close: async () => {
      const all = [...connections.values()];
      connections.clear();
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}

function keyOf(name: string, server: object): string {
  return `${name} ${JSON.stringify(server)}`;
}

function fillOf({ ctx }: Turn): Fill {
  return (name) => ctx.secret(name);
}

/**
 * The tool as its server has it now; null where it does not say. What is repeated by itself because of what its server said
 * of it must still say that [S32].
 */
async function toolNow(
  connection: ServerConnection,
  turn: Turn,
  offer: ToolOffer,
): Promise<FoundTool | null> {
  const tool = toolNamed(offer.source, await connection.known(fillOf(turn)), offer.tool);
  if (offer.decidedBy === 'annotation' && tool?.fingerprint !== offer.fingerprint) {
    throw new NotSent(
      `what its server says of ${offer.name} has changed since this invocation began, so it was not called; the next one has it as it is now`,
    );
  }
  return tool;
}

/** With the key in its place; or what does not fit, which nobody else needs to see. */
function argumentsOf(
  { name, inputSchema, keyArgument }: ToolOffer,
  { args, key }: ToolRequest,
): JsonObject | string {
  const given = args ?? {};
  if (!isObject(given)) return `The arguments of ${name} must be an object. It was not called.`;
  // What is offered has no place for the key, which the loop has put in by now.
  const asked = Object.entries(given).filter(([argument]) => argument !== keyArgument);
  const lacks = argsProblem(inputSchema, keyArgument === null ? given : Object.fromEntries(asked));
  if (lacks !== null) return `The arguments of ${name} do not fit its schema: ${lacks}. It was not called.`;
  return keyArgument === null ? given : { ...given, [keyArgument]: key };
}

/** What of a structured answer is not as its tool declares; null for nothing. */
function lieIn(declared: Json, value: Json): string | null {
  const problems = schemaProblems(declared, value);
  return problems.length === 0 ? null : cleanLine(problems.join('; '), MAX_LIE);
}

interface FailedCall {
  readonly offer: ToolOffer;
  readonly request: ToolRequest;
  readonly connection: ServerConnection;
  readonly maxResultBytes: number;
}

/**
 * An answer, where the server gave one, if only a refusal.
 * @throws DidNotHappen where it certainly was not called; else what leaves it in doubt [S28]
 */
function failedCall(error: unknown, { offer, request, connection, maxResultBytes }: FailedCall): ToolAnswer {
  if (error instanceof NotSent) throw new DidNotHappen(error.message, { cause: error });
  // Its time is over: it was asked to stop, and nobody knows how far it came.
  if (request.signal.aborted || (error instanceof AppError && error.code === 'mcp.lost')) throw error;
  if (error instanceof McpError) {
    if (error.code === ANSWER_LOST) {
      throw new AppError(
        'mcp.lost',
        `the connection of ${offer.name} ended before the answer`,
        {},
        { cause: error },
      );
    }
    const data = error.data as { readonly bytes?: unknown } | undefined;
    if (error.code === TOO_LARGE) return tooLargeAnswer(Number(data?.bytes ?? 0), maxResultBytes);
    return refusalAnswer(cleanLine(error.message, MAX_MESSAGE), error.code);
  }
  if (error instanceof StreamableHTTPError && isRefusal(error.code ?? 0)) {
    // A session that it does not know any more is begun anew by whoever calls next.
    if (error.code === 404) connection.lost('its session is over');
    throw new DidNotHappen(`${offer.name} was refused with ${error.code}`, { cause: error });
  }
  const cause = error instanceof Error ? error.cause : undefined;
  if (NEVER_SENT.has(codeOf(cause)) || NEVER_SENT.has(codeOf(error))) {
    const why = messageOf(cause ?? error);
    connection.lost(why);
    throw new DidNotHappen(`${offer.name} was not reached: ${why}`, { cause: error });
  }
  throw error;
}

/** Of an HTTP status: it was not even looked at. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}
