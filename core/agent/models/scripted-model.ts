// A model that answers from a script: for demos, and for tests of all that is around a model.
//
// What it answers is decided by what it is asked, not by how often: the turn is found by what the user said last, and
// by how many answers there are since. So a run that goes on in another worker gets the answer it would have got, and
// the same call made twice gets the same answer. Only how often a turn has failed is remembered.

import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { AppError, messageOf } from '../../model/errors.ts';
import { isObject, type Json } from '../../model/json.ts';
import { parseScript, PLACEHOLDER, RESULT, type ScriptError, type ScriptTurn } from './model-script.ts';

const MAX_BYTES = 4_000_000;
/** Of what is matched against, and of a result that is put into an answer. */
const MAX_SUBJECT = 100_000;
const SHOWN = 100;

/**
 * @param path of the script; @param shown what it is called in messages
 * @throws `model.no-script`, `model.bad-script`
 */
export async function openScriptedModel(path: string, shown: string = path): Promise<LanguageModelV4> {
  let text: string;
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new Error('it is no file');
    if (found.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new AppError(
      'model.no-script',
      `The script ${shown} can't be read: ${messageOf(error)}.`,
      { path: shown },
      { cause: error },
    );
  }
  return scriptedModel(shown, parseScript(shown, text));
}

export function scriptedModel(name: string, turns: readonly ScriptTurn[]): LanguageModelV4 {
  const failed = new Map<ScriptTurn, number>();

  /** The error that this call gets, if it is its turn. */
  const errorOf = (turn: ScriptTurn): ScriptError | null => {
    if (turn.error === null) return null;
    const before = failed.get(turn) ?? 0;
    if (turn.error.times !== null && before >= turn.error.times) {
      failed.delete(turn);
      return null;
    }
    failed.set(turn, before + 1);
    return turn.error;
  };

  const next = async ({ prompt, abortSignal }: LanguageModelV4CallOptions) => {
    const { turn, values } = turnFor(name, turns, prompt);
    const error = errorOf(turn);
    if (turn.delayMs > 0) await delay(turn.delayMs, undefined, { signal: abortSignal });
    abortSignal?.throwIfAborted();
    if (error?.kind === 'timeout' && abortSignal !== undefined) await endOf(abortSignal);
    return { turn, error, content: contentOf(turn, prompt, values) };
  };

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: name,
    supportedUrls: {},
    doGenerate: async (options): Promise<LanguageModelV4GenerateResult> => {
      const { turn, error, content } = await next(options);
      if (error !== null) throw thrown(name, error);
      return { content, finishReason: finishOf(turn), usage: usageOf(turn), warnings: [] };
    },
    doStream: async (options) => {
      const { turn, error, content } = await next(options);
      if (error !== null && error.kind !== 'cut') throw thrown(name, error);
      const parts = error === null ? partsOf(turn, content) : cutParts(name, turn, content, error);
      return { stream: streamOf(parts, turn.chunkDelayMs, options.abortSignal) };
    },
  };
}

function turnFor(
  name: string,
  turns: readonly ScriptTurn[],
  prompt: LanguageModelV4Prompt,
): { readonly turn: ScriptTurn; readonly values: Readonly<Record<string, string>> } {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const subject = textOf(prompt[last]).slice(0, MAX_SUBJECT);
  const answered = prompt.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  const fitting = turns.flatMap((turn) => {
    const groups = matched(turn, subject);
    return groups === null ? [] : [{ turn, groups }];
  });
  const found = fitting[answered];
  if (found !== undefined) {
    return { turn: found.turn, values: { [RESULT]: lastResult(prompt), ...found.groups } };
  }
  const said = JSON.stringify(subject.length <= SHOWN ? subject : `${subject.slice(0, SHOWN)}…`);
  throw new AppError(
    'model.script-ended',
    fitting.length === 0
      ? `The script ${name} has no turn that matches what the user said last: ${said}. Add one, or one without a match.`
      : `The script ${name} has ${fitting.length} ${fitting.length === 1 ? 'turn' : 'turns'} for ${said}, and this would be number ${answered + 1}. Its last turn should call no tool.`,
    { script: name, turns: fitting.length, asked: answered + 1 },
  );
}

function matched({ match }: ScriptTurn, subject: string): Readonly<Record<string, string>> | null {
  if (match === null) return {};
  if (!(match instanceof RegExp)) return match.every((text) => subject.includes(text)) ? {} : null;
  const found = match.exec(subject);
  if (found === null) return null;
  const named: Record<string, string> = {};
  for (const [group, value] of Object.entries(found.groups ?? {})) named[group] = value ?? '';
  return named;
}

function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function lastResult(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'tool');
  const part =
    last?.role === 'tool' ? last.content.findLast(({ type }) => type === 'tool-result') : undefined;
  if (part?.type !== 'tool-result') return '';
  const { output } = part;
  const value = 'value' in output ? output.value : (output.reason ?? 'denied');
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_SUBJECT);
}

function contentOf(
  turn: ScriptTurn,
  prompt: LanguageModelV4Prompt,
  values: Readonly<Record<string, string>>,
): LanguageModelV4Content[] {
  const filled = (text: string): string =>
    text.replaceAll(PLACEHOLDER, (_, key: string) => values[key] ?? '');
  const id = turn.toolCalls.length === 0 ? '' : hash('sha256', JSON.stringify(prompt)).slice(0, 12);
  return [
    ...(turn.text === null ? [] : [{ type: 'text' as const, text: filled(turn.text) }]),
    ...turn.toolCalls.map(({ tool, id: given, args }, at) => ({
      type: 'tool-call' as const,
      toolCallId: given ?? `call-${id}-${at}`,
      toolName: tool,
      input: typeof args === 'string' ? filled(args) : JSON.stringify(mapTexts(args, filled)),
    })),
  ];
}

function mapTexts(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

function finishOf({ finish }: ScriptTurn): LanguageModelV4GenerateResult['finishReason'] {
  return { unified: finish, raw: undefined };
}

function usageOf({ usage }: ScriptTurn): LanguageModelV4Usage {
  const { input, cached_read, cached_write, output } = usage;
  return {
    inputTokens: {
      total: input === undefined ? undefined : input + (cached_read ?? 0) + (cached_write ?? 0),
      noCache: input,
      cacheRead: cached_read,
      cacheWrite: cached_write,
    },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

function partsOf(turn: ScriptTurn, content: readonly LanguageModelV4Content[]): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    ...content.flatMap(streamed),
    { type: 'finish', usage: usageOf(turn), finishReason: finishOf(turn) },
  ];
}

/** What comes before the connection breaks: half of it, and no end. */
function cutParts(
  name: string,
  turn: ScriptTurn,
  content: readonly LanguageModelV4Content[],
  error: ScriptError,
): LanguageModelV4StreamPart[] {
  const parts = partsOf(turn, content);
  return [...parts.slice(0, Math.ceil(parts.length / 2)), { type: 'error', error: thrown(name, error) }];
}

function streamed(part: LanguageModelV4Content, at: number): LanguageModelV4StreamPart[] {
  const id = String(at);
  if (part.type === 'text') {
    return [
      { type: 'text-start', id },
      ...words(part.text).map((delta) => ({ type: 'text-delta' as const, id, delta })),
      { type: 'text-end', id },
    ];
  }
  if (part.type !== 'tool-call') return [];
  const { toolCallId, toolName, input } = part;
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    part,
  ];
}

/** Joined again they are the text. */
function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

function streamOf(
  parts: readonly LanguageModelV4StreamPart[],
  chunkDelayMs: number,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      const part = parts[at];
      if (part === undefined) {
        controller.close();
        return;
      }
      if (chunkDelayMs > 0 && part.type === 'text-delta') await delay(chunkDelayMs, undefined, { signal });
      signal?.throwIfAborted();
      at += 1;
      controller.enqueue(part);
    },
  });
}

/** Ends with the call that waits for it. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** As a provider's package would throw it. */
function thrown(name: string, { kind, retryAfterMs }: ScriptError): APICallError {
  const base = { url: `scripted:${name}`, requestBodyValues: {} };
  const after = retryAfterMs === null ? {} : { responseHeaders: { 'retry-after-ms': String(retryAfterMs) } };
  switch (kind) {
    case 'rate_limited':
      return new APICallError({ ...base, ...after, message: 'too many requests', statusCode: 429 });
    case 'overloaded':
      return new APICallError({ ...base, ...after, message: 'overloaded', statusCode: 529 });
    case 'server_error':
      return new APICallError({ ...base, message: 'internal server error', statusCode: 500 });
    case 'bad_request':
      return new APICallError({ ...base, message: 'bad request', statusCode: 400 });
    case 'bad_key':
      return new APICallError({ ...base, message: 'invalid key', statusCode: 401 });
    case 'cut':
      return new APICallError({
        ...base,
        message: 'connection reset',
        cause: Object.assign(new Error('connection reset'), { code: 'ECONNRESET' }),
        isRetryable: true,
      });
    case 'timeout':
      return new APICallError({ ...base, message: 'timed out', statusCode: 408 });
  }
}
