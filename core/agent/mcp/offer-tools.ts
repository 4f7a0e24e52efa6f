// What of the servers' tools is offered to a model, under which names, and what is not and why. Pure, so that the same
// servers always give the same list.

import { hash } from 'node:crypto';
import type { JSONSchema7 } from '@ai-sdk/provider';
import type { AgentPlan, ToolRule, ToolServer } from '../../model/agent-plan.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { ruleFor } from '../../model/tool-rules.ts';
import { believedKey } from '../../model/tools.ts';
import { sorted } from '../args-hash.ts';
import { withoutArgument } from '../llm/list-tools.ts';
import type { ToolList, ToolOffer } from '../llm/tool.ts';
import { acceptableName } from '../tool-name.ts';
import { cleanCut, cleanLine } from './clean-text.ts';
import { decideClass, type Annotations } from './tool-class.ts';
import { readableSchema } from './readable-schema.ts';
import { nameTools, qualifiedName } from './tool-names.ts';
import { checkedSchema } from './tool-schema.ts';

const MAX_OFFERED = 128;
const MAX_DESCRIPTION = 2_000;
const MAX_TOOL_NAME = 200;

/** A server that could be asked, with what it listed, as it came. */
export interface FoundServer {
  readonly name: string;
  readonly server: ToolServer;
  readonly tools: readonly Json[];
}

export interface FoundTool {
  readonly server: string;
  readonly tool: string;
  readonly said: JsonObject;
  /** Over all that its server says of it. */
  readonly fingerprint: string;
}

export function sourceOf(server: string): string {
  return `mcp:${server}`;
}

/** What a server says of one of its tools; null where it has none of that name. */
export function toolNamed(server: string, tools: readonly Json[], tool: string): FoundTool | null {
  for (const said of tools) {
    if (isObject(said) && said['name'] === tool)
      return { server, tool, said, fingerprint: fingerprintOf(said) };
  }
  return null;
}

/** What has a name, the first of each; in the order of their names, so that a server that shuffles makes no other list. */
export function foundTools({ name: server, tools }: FoundServer): readonly FoundTool[] {
  const found = new Map<string, FoundTool>();
  for (const said of tools) {
    const tool = isObject(said) ? said['name'] : undefined;
    if (typeof tool !== 'string' || tool === '' || tool.length > MAX_TOOL_NAME || found.has(tool)) continue;
    found.set(tool, {
      server,
      tool,
      said: said as JsonObject,
      fingerprint: fingerprintOf(said as JsonObject),
    });
  }
  return [...found.values()].sort((a, b) => (a.tool < b.tool ? -1 : 1));
}

/** SHA-256 in hex; of what can't be hashed, for it is nested too deep, none, and its schema is refused. */
function fingerprintOf({ name, description, inputSchema, outputSchema, annotations }: JsonObject): string {
  try {
    const said = { name, description, inputSchema, outputSchema, annotations };
    return hash('sha256', JSON.stringify(sorted(JSON.parse(JSON.stringify(said)) as Json)));
  } catch {
    return '';
  }
}

export function offerTools(
  servers: readonly FoundServer[],
  plan: Pick<AgentPlan, 'tools' | 'approval' | 'servers'>,
  believed: Readonly<Record<string, string>>,
): ToolList {
  const found = servers.flatMap((server) =>
    foundTools(server).map((tool) => ({ ...tool, of: server.server })),
  );
  const names = nameTools(found);
  const offers: ToolOffer[] = [];
  const problems: string[] = servers.flatMap(skippedIn);
  for (const [at, tool] of found.entries()) {
    const name = names[at]!;
    const rule = ruleOf(plan, name, tool);
    if (rule.isDisabled === true) continue;
    const checked = checkedSchema(tool.said['inputSchema']);
    const schema = checked.ok ? readableSchema(checked.schema) : null;
    if (schema === null) {
      const why = checked.ok ? 'it has names or values with characters that nobody sees' : checked.why;
      problems.push(`${name} of ${tool.server} is left out: its schema can't be used: ${why}`);
      continue;
    }
    const key = believedKey(sourceOf(tool.server), tool.tool);
    const decision = decideClass({
      rule,
      isTrusted: tool.of.isTrusted,
      annotations: annotationsOf(tool.said),
      fingerprint: tool.fingerprint,
      believed: Object.hasOwn(believed, key) ? believed[key]! : null,
    });
    if (decision.problem !== null) problems.push(`${name} of ${tool.server} ${decision.problem}`);
    const keyArgument = decision.class === 'idempotent' ? (rule.keyArgument ?? null) : null;
    offers.push({
      name,
      description: descriptionOf(tool.said),
      inputSchema: withoutArgument(schema as JSONSchema7, keyArgument),
      source: sourceOf(tool.server),
      tool: tool.tool,
      how: 'effect',
      class: decision.class,
      decidedBy: decision.decidedBy,
      keyArgument,
      timeoutMs: rule.timeoutMs ?? tool.of.timeoutMs,
      asks: rule.asks ?? (plan.approval.asksForIrreversible && decision.class === 'ask'),
      fingerprint: tool.fingerprint,
    });
  }
  if (offers.length > MAX_OFFERED) {
    problems.push(
      `${offers.length - MAX_OFFERED} tools are left out: ${MAX_OFFERED} are the most. Disable what it needs not`,
    );
  }
  return { offers: offers.slice(0, MAX_OFFERED), problems };
}

function skippedIn(server: FoundServer): readonly string[] {
  const skipped = server.tools.length - foundTools(server).length;
  return skipped === 0
    ? []
    : [`${server.name}: ${skipped} tools are left out, which have no name or that of another`];
}

/**
 * What is said of a tool by the name that the model calls it by, or by the one with its server in front. Where that is not
 * the one it is called by, its bare name only makes it stricter: another server may have meant to take its place. So does a
 * name with another server in front, for it means a tool of that one, also while that is down.
 */
function ruleOf(
  plan: Pick<AgentPlan, 'tools' | 'approval' | 'servers'>,
  name: string,
  tool: FoundTool,
): ToolRule {
  const qualified = qualifiedName(tool);
  const isOfOther =
    name !== qualified &&
    Object.keys(plan.servers).some(
      (other) => other !== tool.server && name.startsWith(`${acceptableName(other)}_`),
    );
  const said = (by: string): ToolRule => (Object.hasOwn(plan.tools, by) ? plan.tools[by]! : {});
  const called = ruleFor(plan, name);
  return {
    ...stricter(said(acceptableName(tool.tool))),
    ...said(qualified),
    ...(isOfOther ? stricter(called) : called),
  };
}

/** What of a rule asks for more care. */
function stricter({ isDisabled, asks, class: of }: ToolRule): ToolRule {
  return {
    ...(isDisabled === true ? { isDisabled } : {}),
    ...(asks === true ? { asks } : {}),
    ...(of === 'ask' ? { class: of } : {}),
  };
}

function annotationsOf({ annotations }: JsonObject): Annotations {
  return isObject(annotations ?? null) ? (annotations as Annotations) : {};
}

function descriptionOf({ description, title }: JsonObject): string {
  if (typeof description === 'string') return cleanCut(description, MAX_DESCRIPTION);
  return typeof title === 'string' ? cleanLine(title, MAX_DESCRIPTION) : '';
}
