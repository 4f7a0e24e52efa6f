// What an invocation under way does right now, for a person: of a model agent whom it asks, or which tool of which server it
// calls; of code what its effect is called.

import { isOfLoop, LOOP_EFFECTS, planOf } from './agent-plan.ts';
import type { RecordedEffect } from './effects.ts';
import { listOf } from './fold-tools.ts';
import { textAt } from './json.ts';
import type { OpenInvocation } from './snapshot.ts';
import type { ToolsState } from './tools.ts';

/** Of names from a journal, which may have any length. */
const MAX_NAME = 200;
/** Of a tool that is named as something that the loop does itself. */
const TOOL_MARK = ' (tool)';
const SERVER = 'mcp:';

/** `asked`: the model that answers now, where its host sees one. */
export function doingText(
  effect: RecordedEffect,
  { plan, tools }: Pick<OpenInvocation, 'plan' | 'tools'>,
  state: ToolsState,
  asked: string,
): string {
  const agent = planOf(plan ?? null);
  if (agent === null) return `performing ${cut(effect.name)}`;
  if (isOfLoop({ agent }, effect.name)) {
    const model = cut(asked || effect.model || 'its model');
    return effect.name === LOOP_EFFECTS.summary ? `asking ${model} for a summary` : `asking ${model}`;
  }
  const name = effect.name.endsWith(TOOL_MARK) ? effect.name.slice(0, -TOOL_MARK.length) : effect.name;
  const offers = tools === undefined ? null : listOf(state, tools.hash);
  const source = textAt(offers?.find((offer) => textAt(offer, 'name') === name) ?? {}, 'source');
  if (source === '') return `performing ${cut(effect.name)}`;
  return source.startsWith(SERVER)
    ? `calling ${cut(name)} of ${cut(source.slice(SERVER.length))}`
    : `calling ${cut(name)}`;
}

function cut(text: string): string {
  return text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME - 1)}…`;
}
