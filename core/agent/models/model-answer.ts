// What a model answered, as plain JSON: what it says, what it calls, and the message that the conversation goes on with.

import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider';
import { recordable, type Json } from '../../model/json.ts';
import { acceptableName } from '../tool-name.ts';
import { tokenUsageOf, type TokenUsage } from './token-usage.ts';

export interface AskedTool {
  readonly id: string;
  readonly name: string;
  /** Null where what came is no JSON; then `problem` says so, for the model to read. */
  readonly args: Json;
  readonly problem?: string;
}

export interface Answer {
  readonly text: string;
  /** In the order in which they were asked for. Those that the provider runs itself are not among them. */
  readonly toolCalls: readonly AskedTool[];
  /** To be put behind the messages that were sent, as it is. */
  readonly message: Extract<LanguageModelV4Message, { role: 'assistant' }>;
  readonly finish: LanguageModelV4FinishReason['unified'];
  readonly usage: TokenUsage;
  /** What of the request the provider does not know, and went without. */
  readonly warnings: readonly string[];
}

type Said = Pick<
  LanguageModelV4GenerateResult,
  'content' | 'finishReason' | 'usage' | 'warnings' | 'structuredOutputText'
>;

const MAX_SHOWN = 200;

export function answerOf({
  content: said,
  finishReason,
  usage,
  warnings,
  structuredOutputText,
}: Said): Answer {
  const content = sendable(said);
  return {
    text:
      structuredOutputText?.toWellFormed() ??
      content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    toolCalls: content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true ? [askedTool(part)] : [],
    ),
    message: { role: 'assistant', content: content.flatMap(partOf) },
    finish: finishReason.unified,
    usage: tokenUsageOf(usage),
    warnings: warnings.map((warning) =>
      warning.type === 'other'
        ? warning.message
        : warning.type === 'deprecated'
          ? `${warning.setting} is deprecated: ${warning.message}`
          : `${warning.feature} is not supported${warning.details === undefined ? '' : `: ${warning.details}`}`,
    ),
  };
}

/**
 * What can go back to its provider, which would refuse every prompt behind it otherwise: texts without halves of characters,
 * and calls with names as they have to be, each with an id of its own, for a result goes to its call by that.
 */
function sendable(content: readonly LanguageModelV4Content[]): readonly LanguageModelV4Content[] {
  const taken = new Set<string>();
  return content.map((part, at) => {
    if (part.type === 'text') return { ...part, text: part.text.toWellFormed() };
    if (part.type !== 'tool-call') return part;
    let id = part.toolCallId;
    for (let next = at; id === '' || taken.has(id); next += 1) id = `${part.toolCallId || 'call'}_${next}`;
    taken.add(id);
    return { ...part, toolCallId: id, toolName: acceptableName(part.toolName) };
  });
}

/** Malformed arguments harm only their own call: the model is told, and may do better. */
function askedTool({ toolCallId: id, toolName: name, input }: LanguageModelV4ToolCall): AskedTool {
  const args = argsIn(input);
  if (args === undefined)
    return { id, name, args: null, problem: `The arguments of ${name} are not JSON: ${shown(input)}` };
  if (canBeKept(args)) return { id, name, args };
  const problem = `The arguments of ${name} can't be used: they are nested too deep, or hold a number without end`;
  return { id, name, args: null, problem };
}

/** Undefined for what is no JSON. Nothing at all is what some send for a tool without arguments. */
function argsIn(input: string): Json | undefined {
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input, (_, value: Json) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    ) as Json;
  } catch {
    return undefined;
  }
}

/** An answer that can't be recorded would be paid again and again. */
function canBeKept(args: Json): boolean {
  try {
    recordable({ answer: { message: { content: [{ input: args }] } } });
    return true;
  } catch {
    return false;
  }
}

function inputOf(input: string): Json {
  const args = argsIn(input) ?? {};
  return canBeKept(args) ? args : {};
}

/** What has to go back to the provider: what it marked its parts with (signatures, ids) goes with them. */
function partOf(part: LanguageModelV4Content): Answer['message']['content'] {
  const marks =
    'providerMetadata' in part && part.providerMetadata !== undefined
      ? { providerOptions: part.providerMetadata }
      : {};
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...marks }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...marks }];
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          // A provider takes an object only; what it sent in its place is in the answer's problem.
          input: inputOf(part.input),
          ...(part.providerExecuted === true ? { providerExecuted: true } : {}),
          ...marks,
        },
      ];
    case 'custom':
      // The usage again, which nobody takes back.
      return part.kind === 'anthropic.message_start' ? [] : [{ type: 'custom', kind: part.kind, ...marks }];
    case 'file':
    case 'reasoning-file':
    case 'source':
    case 'tool-approval-request':
    case 'tool-result':
      // Of tools that a provider runs itself, which are never given to it.
      return [];
  }
}

/** What is said in a message. */
export function textIn({ content }: Answer['message']): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/** What is called in it; not what the provider runs itself. */
export function callsIn({ content }: Answer['message']): readonly LanguageModelV4ToolCallPart[] {
  return content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true ? [part] : [],
  );
}

function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
