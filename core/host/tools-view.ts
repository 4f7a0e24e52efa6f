// What is known of a process's tools: from its journal, and, where it runs here, from what its worker tells of its servers.

import type { ToolServerView, ToolsView, ToolView } from '../contract/tools-view.ts';
import type { AgentPlan, ToolRule, ToolServer } from '../model/agent-plan.ts';
import { isEffectClass } from '../model/effects.ts';
import { textAt, type JsonObject } from '../model/json.ts';
import { listOf } from '../model/fold-tools.ts';
import { pathOf } from '../model/settings.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { ruleFor } from '../model/tool-rules.ts';
import { DECIDERS, toolSetting, type ServerStatus } from '../model/tools.ts';
import { cut, cutOrNull } from './cut.ts';
import { MAX_ID, MAX_LINE, MAX_SENTENCE, MAX_WORD } from './view-limits.ts';

const MAX_TOOLS = 300;
const MAX_SERVERS = 100;
const MAX_ROOTS = 20;
const MAX_PROBLEMS = 50;

export interface ToolsInput {
  readonly snapshot: Readonly<ProcessSnapshot>;
  /** As it is in force; null for an agent with code of its own. */
  readonly plan: AgentPlan | null;
  /** What a worker told last; null where none did. */
  readonly told: { readonly servers: readonly ServerStatus[]; readonly at: number } | null;
  /** Whether that worker still runs. */
  readonly isNow: boolean;
}

export function toolsView(input: ToolsInput): ToolsView {
  const { snapshot, plan } = input;
  const { last } = snapshot.tools;
  const offers = last === null ? [] : (listOf(snapshot.tools, last.hash) ?? []);
  const tools = toolViews(offers, input);
  return {
    isModelAgent: plan !== null,
    listedAt: cutOrNull(last?.at ?? null, MAX_WORD),
    problems: firstOf(last?.problems ?? [], MAX_PROBLEMS, MAX_SENTENCE),
    servers: Object.entries(plan?.servers ?? {})
      .slice(0, MAX_SERVERS)
      .map(([name, server]) => serverView(name, server, offers, input)),
    serverCount: Object.keys(plan?.servers ?? {}).length,
    tools: tools.slice(0, MAX_TOOLS),
    toolCount: tools.length,
  };
}

/** With a line at their end that says how many more there are. */
function firstOf(texts: readonly string[], max: number, length: number): string[] {
  const shown = texts.slice(0, max).map((text) => cut(text, length));
  return texts.length > max ? [...shown, `… and ${texts.length - max} more`] : shown;
}

function toolViews(offers: readonly JsonObject[], { plan, snapshot }: ToolsInput): readonly ToolView[] {
  const isSet = (name: string): boolean => {
    const path = pathOf(toolSetting(name, 'class'));
    return Object.hasOwn(snapshot.settings, path) && snapshot.settings[path]!.value !== null;
  };
  const ruleOf = (name: string): ToolRule => (plan === null ? {} : ruleFor(plan, name));
  const offered = offers.map((offer): ToolView => {
    const name = textAt(offer, 'name');
    const rule = ruleOf(name);
    const found = DECIDERS.find((decider) => decider === offer['decidedBy']) ?? 'default';
    // What was said since it was offered counts from the next invocation on.
    const said = rule.class ?? null;
    const ofOffer = textAt(offer, 'class');
    const given = isEffectClass(ofOffer) ? ofOffer : null;
    return {
      name: cut(name, MAX_WORD),
      source: cut(textAt(offer, 'source'), MAX_WORD),
      description: cut(textAt(offer, 'description'), MAX_LINE),
      class: said ?? given,
      decidedBy: said === null ? found : isSet(name) ? 'operator' : 'manifest',
      asks: rule.asks ?? offer['asks'] === true,
      isEnabled: rule.isDisabled !== true,
      isOffered: true,
    };
  });
  const names = new Set(offers.map((offer) => textAt(offer, 'name')));
  const others = Object.entries(plan?.tools ?? {}).filter(([name]) => !names.has(name));
  return [
    ...offered,
    ...others.map(([name, rule]): ToolView => ({
      name: cut(name, MAX_WORD),
      source: '',
      description: '',
      class: rule.class ?? null,
      decidedBy: rule.class === undefined ? 'default' : isSet(name) ? 'operator' : 'manifest',
      asks: rule.asks === true,
      isEnabled: rule.isDisabled !== true,
      isOffered: false,
    })),
  ];
}

function serverView(
  name: string,
  server: ToolServer,
  offers: readonly JsonObject[],
  { told, isNow }: ToolsInput,
): ToolServerView {
  const status = told?.servers.find((one) => one.server === name) ?? null;
  return {
    name: cut(name, MAX_WORD),
    target: cut(targetOf(server), MAX_LINE),
    isTrusted: server.isTrusted,
    roots: firstOf(server.roots, MAX_ROOTS, MAX_ID),
    state: status?.state ?? 'unknown',
    why: cut(status?.why ?? '', MAX_SENTENCE),
    retryAt: status?.retryAt == null ? null : new Date(status.retryAt).toISOString(),
    at: status === null || told === null ? null : new Date(told.at).toISOString(),
    isNow: status !== null && isNow,
    toolCount: offers.filter((offer) => offer['source'] === `mcp:${name}`).length,
  };
}

/** Of an address only what is no secret: anything may stand in the rest of it. */
function targetOf(server: ToolServer): string {
  if (server.kind === 'stdio') {
    const words = [server.command, ...server.args.slice(0, MAX_LINE)];
    return words.map((word) => cut(word, MAX_LINE)).join(' ');
  }
  return URL.canParse(server.url) ? new URL(server.url).origin : 'an address that is none';
}
