// Which tools a turn has: asked of every source once, recorded, and the same in every re-run [S25].

import { LOOP_EFFECTS, type AgentPlan } from '../../model/agent-plan.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { ruleFor } from '../../model/tool-rules.ts';
import type { JSONSchema7 } from '@ai-sdk/provider';
import type { ModelTool } from '../models/model-prompt.ts';
import type { ToolList, ToolOffer, ToolSource, Turn } from './tool.ts';

/** Of one turn; providers take 128 and fewer. */
const MAX_TOOLS = 128;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export async function listTools(turn: Turn, sources: readonly ToolSource[]): Promise<ToolList> {
  return sources.length === 0 ? { offers: [], problems: [] } : turn.listed(() => found(turn, sources));
}

async function found(turn: Turn, sources: readonly ToolSource[]): Promise<ToolList> {
  const lists = await Promise.all(sources.map((source) => listOf(turn, source)));
  const offers: ToolOffer[] = [];
  const problems = lists.flatMap((list) => list.problems);
  for (const offer of lists.flatMap((list) => list.offers)) {
    if (ruleFor(turn.plan, offer.name).isDisabled === true) continue;
    const other = offers.find(({ name }) => name === offer.name);
    const problem = !NAME.test(offer.name)
      ? 'its name is none that a model can call'
      : other !== undefined
        ? `${other.source} has one of the same name`
        : offers.length >= MAX_TOOLS
          ? `there are more than ${MAX_TOOLS} tools`
          : null;
    if (problem === null) offers.push({ ...offer, asks: isAskedFor(turn.plan, offer) });
    else
      problems.push(`${JSON.stringify(offer.name.slice(0, 100))} of ${offer.source} is left out: ${problem}`);
  }
  return { offers, problems };
}

/** Whether somebody has to approve each call: what is said of this tool counts before what is said of all. */
function isAskedFor(plan: AgentPlan, offer: ToolOffer): boolean {
  // Asking somebody is not asked for.
  if (offer.source === 'people') return false;
  // Its source knows which rules mean it, and another's tool may be called as they are.
  if (offer.asks) return true;
  const said = ruleFor(plan, offer.name).asks;
  if (said !== undefined) return said;
  const isFinal =
    plan.irreversibleTools.includes(offer.name) || (offer.how === 'effect' && offer.class === 'ask');
  return plan.approval.asksForIrreversible && isFinal;
}

/** One that can't be asked harms nobody else's. */
async function listOf(turn: Turn, source: ToolSource): Promise<ToolList> {
  try {
    return await source.list(turn);
  } catch (error) {
    return { offers: [], problems: [messageOf(error)] };
  }
}

/** How the calls of a tool are named in the journal, apart from what the loop does by itself. */
export function effectNameOf({ name }: ToolOffer): string {
  return (Object.values(LOOP_EFFECTS) as readonly string[]).includes(name) ? `${name} (tool)` : name;
}

/** As the model gets to see it: a key is not its affair. */
export function modelToolOf({ name, description, inputSchema, keyArgument }: ToolOffer): ModelTool {
  return { name, description, inputSchema: withoutArgument(inputSchema, keyArgument) };
}

export function withoutArgument(schema: JSONSchema7, argument: string | null): JSONSchema7 {
  const given = schema as unknown as Json;
  if (argument === null || !isObject(given)) return schema;
  const { properties, required } = given;
  const less: JsonObject = {
    ...given,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).filter(([key]) => key !== argument)) }
      : {}),
    ...(Array.isArray(required) ? { required: required.filter((key: Json) => key !== argument) } : {}),
  };
  return less;
}
