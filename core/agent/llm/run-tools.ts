// The calls of one answer: side by side, begun in the order in which they were asked for, and answered in it. Whatever becomes
// of one, its model reads it; only what an operator has to decide holds the invocation [S34].

import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { argsProblem } from '../../model/approval.ts';
import { codeOf, messageOf } from '../../model/errors.ts';
import { isObject, sameJson, showJson, type Json, type JsonObject } from '../../model/json.ts';
import { MAX_ERROR_TEXT } from '../../model/limits.ts';
import type { EffectOptions } from '../define-agent.ts';
import { EffectFailed } from '../effect-errors.ts';
import type { AskedTool } from '../models/model-answer.ts';
import { cleanText, cutText } from './clean-text.ts';
import { effectNameOf, withoutArgument } from './list-tools.ts';
import type { Approved, Approver, ToolAnswer, ToolOffer, ToolSource, Turn } from './tool.ts';

/** Of one answer. */
const MAX_CALLS = 32;
/** What a model reads of one result, in characters. */
const MAX_RESULT = 100_000;
/** Of arguments that a person changed. */
const MAX_EDITED = 4_000;
const MAX_NAMES = 50;
/** Of what does not fit, in characters. */
const MAX_MISFIT = 1_000;

/** What stops a turn, whoever may have hoped to go on. */
const ENDS_TURN: ReadonlySet<string> = new Set([
  'replay.diverged',
  'invocation.over',
  'invocation.too-long',
  'journal.required',
]);

/** An offer, with the source that it comes from. */
export interface Tool {
  readonly offer: ToolOffer;
  readonly source: ToolSource;
}

export interface ToolCalls {
  readonly turn: Turn;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly approver: Approver | null;
  readonly calls: readonly AskedTool[];
  /** What the model said beside them. */
  readonly said: string;
}

interface Answered extends ToolAnswer {
  /** What it was called with, where a person made it other than its model asked for, with secrets by their names. */
  readonly edited?: Json;
}

export async function runTools(asked: ToolCalls): Promise<LanguageModelV4ToolResultPart[]> {
  return Promise.all(asked.calls.map(async (call, at) => resultPart(call, await answered(asked, call, at))));
}

function answered(asked: ToolCalls, call: AskedTool, at: number): Answered | Promise<Answered> {
  if (at >= MAX_CALLS)
    return failed(`At most ${MAX_CALLS} tools are called at once. Nothing was done; call it again.`);
  if (call.problem !== undefined) return failed(`${call.problem}. Nothing was done.`);
  const tool = asked.tools.get(call.name);
  if (tool === undefined) return failed(noSuchTool(asked, call.name));
  const problem = argumentProblem(tool.offer, call.args);
  return problem === null ? performed(asked, tool, call) : failed(problem);
}

/** For the model to read; null where the arguments fit, or nobody can say here. */
function argumentProblem({ name, inputSchema, keyArgument }: ToolOffer, args: Json): string | null {
  const schema: JsonObject = withoutArgument(inputSchema, keyArgument);
  const problem = argsProblem(schema, args);
  return problem === null
    ? null
    : `The arguments of ${name} do not fit: ${cutText(cleanText(problem), MAX_MISFIT)}. Nothing was done.`;
}

async function performed(asked: ToolCalls, tool: Tool, call: AskedTool): Promise<Answered> {
  try {
    const approved = await approvedArgs(asked, tool.offer, call.args);
    if (typeof approved === 'string') return failed(approved);
    const { args, edited = args } = approved;
    const answer =
      tool.offer.how === 'direct'
        ? await direct(asked.turn, tool, { ...call, args })
        : await effect(asked.turn, tool, args);
    return sameJson(edited, call.args) ? answer : { ...answer, edited };
  } catch (error) {
    if (ENDS_TURN.has(codeOf(error))) throw error;
    const text = messageOf(error).slice(0, MAX_ERROR_TEXT);
    return failed(error instanceof EffectFailed ? `It failed. ${text}` : text);
  }
}

/** What it is called with, perhaps otherwise than the model asked for; a text where it may not be called. */
async function approvedArgs(
  { turn, approver, said }: ToolCalls,
  offer: ToolOffer,
  args: Json,
): Promise<string | Approved> {
  if (approver === null || !offer.asks) return { isApproved: true, args };
  const verdict = await approver(turn, offer, args, said);
  return verdict.isApproved ? verdict : `It was not approved, and nothing was done: ${verdict.why}`;
}

function direct(turn: Turn, { offer, source }: Tool, { id, args }: AskedTool): Promise<ToolAnswer> {
  return source.call(turn, offer, { args, key: id, attempt: 1, signal: new AbortController().signal });
}

async function effect(turn: Turn, { offer, source }: Tool, args: Json): Promise<ToolAnswer> {
  const { keyArgument, timeoutMs } = offer;
  const reconcile = source.reconcile?.bind(source);
  const isReconciled = offer.class === 'reconcile' && reconcile !== undefined;
  const options: EffectOptions<ToolAnswer> = {
    // Whoever can't be asked what became of it leaves that to a person.
    class: offer.class === 'reconcile' && !isReconciled ? 'ask' : offer.class,
    args,
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(isReconciled ? { reconcile: (call) => reconcile(turn, offer, call) } : {}),
  };
  return turn.ctx.effect<ToolAnswer>(effectNameOf(offer), options, ({ args: given, key, attempt, signal }) =>
    source.call(turn, offer, { args: withKey(given, keyArgument, key), key, attempt, signal }),
  );
}

/** Its provider knows a repetition by the key. */
function withKey(args: Json, keyArgument: string | null, key: string): Json {
  return keyArgument === null || !isObject(args) ? args : { ...args, [keyArgument]: key };
}

function resultPart(
  { id, name }: AskedTool,
  { text, isError, edited }: Answered,
): LanguageModelV4ToolResultPart {
  const other =
    edited === undefined
      ? ''
      : `[A person changed the arguments before it was called: ${cutText(cleanText(showJson(edited)), MAX_EDITED)}]\n`;
  const value = `${other}${cutText(cleanText(text), MAX_RESULT)}`;
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: isError ? 'error-text' : 'text', value },
  };
}

function failed(text: string): ToolAnswer {
  return { text, isError: true };
}

function noSuchTool({ tools }: ToolCalls, name: string): string {
  const names = [...tools.keys()];
  const some = names.slice(0, MAX_NAMES).join(', ');
  const there =
    names.length === 0 ? 'There are none.' : `There are: ${some}${names.length > MAX_NAMES ? ', …' : '.'}`;
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}. ${there} Nothing was done.`;
}
