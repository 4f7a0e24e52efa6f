// The YAML of a scripted model: turns, and to what each of them answers.

import { isMap, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { knownKeys } from '../../manifest/known-keys.ts';
import { AppError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';

export const SCRIPT_ERRORS = [
  'rate_limited',
  'overloaded',
  'server_error',
  'timeout',
  'cut',
  'bad_request',
  'bad_key',
] as const;
export type ScriptErrorKind = (typeof SCRIPT_ERRORS)[number];

export interface ScriptToolCall {
  readonly tool: string;
  readonly id: string | null;
  /** As JSON, or the text that is to be sent in its place, whatever it is. */
  readonly args: JsonObject | string;
}

export interface ScriptError {
  readonly kind: ScriptErrorKind;
  readonly retryAfterMs: number | null;
  /** How many calls fail before the turn is answered; null for all of them. */
  readonly times: number | null;
}

export interface ScriptTurn {
  /** All of these texts, or this pattern, in what the user said last; null for anything. */
  readonly match: readonly string[] | RegExp | null;
  readonly text: string | null;
  readonly toolCalls: readonly ScriptToolCall[];
  /** What is left out is not told, as by a provider that doesn't. */
  readonly usage: {
    readonly input?: number | undefined;
    readonly cached_read?: number | undefined;
    readonly cached_write?: number | undefined;
    readonly output?: number | undefined;
  };
  readonly delayMs: number;
  /** Between the pieces of a streamed text. */
  readonly chunkDelayMs: number;
  readonly error: ScriptError | null;
  readonly finish: 'stop' | 'length' | 'content-filter' | 'tool-calls';
}

/** What a text may name besides the groups of its turn's pattern: the result of the tool that ran last. */
export const RESULT = 'result';
export const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

const MAX_SCRIPT = 1_000_000;
const MAX_PROBLEMS = 20;
const Text = z.string().max(100_000);
const Seconds = z.number().min(0).max(3_600);
const Tokens = z.number().int().min(0).max(1e9);

const ToolCall = z
  .strictObject({
    tool: z.string().min(1).max(200),
    id: z.string().min(1).max(200).optional(),
    args: z.record(z.string(), z.json()).optional(),
    args_text: Text.optional(),
  })
  .refine(
    ({ args, args_text }) => args === undefined || args_text === undefined,
    'args and args_text exclude each other',
  );

const Pattern = z.string().min(1).max(1_000);
const Match = z.union(
  [
    Pattern,
    z.array(Pattern).min(1).max(20),
    z.strictObject({ regex: Pattern.refine(isPattern, 'is no regular expression') }),
  ],
  'is a text, a list of texts, or regex: and a pattern',
);

const Turn = z
  .strictObject({
    match: Match.optional(),
    text: Text.optional(),
    tool_calls: z.array(ToolCall).min(1).max(50).optional(),
    usage: z
      .strictObject({
        input: Tokens.optional(),
        cached_read: Tokens.optional(),
        cached_write: Tokens.optional(),
        output: Tokens.optional(),
      })
      .default({}),
    delay: Seconds.default(0),
    chunk_delay: Seconds.default(0),
    error: z
      .strictObject({
        kind: z.enum(SCRIPT_ERRORS),
        retry_after: Seconds.optional(),
        times: z.number().int().min(1).max(1_000).optional(),
      })
      .refine(
        ({ kind, retry_after }) =>
          retry_after === undefined || kind === 'rate_limited' || kind === 'overloaded',
        'retry_after is for rate_limited and overloaded',
      )
      .optional(),
    finish: z.enum(['stop', 'length', 'content_filter']).optional(),
  })
  .superRefine(refuseUselessTurn);
type Turn = z.infer<typeof Turn>;

const Script = z.strictObject({ turns: z.array(Turn).min(1).max(1_000) });

/**
 * @param path for messages
 * @throws `model.bad-script`, naming place and line of everything that is wrong
 */
export function parseScript(path: string, text: string): readonly ScriptTurn[] {
  if (text.length > MAX_SCRIPT) throw bad(path, [`it has more than ${MAX_SCRIPT} characters`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0)
    throw bad(
      path,
      document.errors.map(({ message }) => firstLine(message)),
    );
  const result = Script.safeParse(valueOf(path, document));
  if (result.success) return result.data.turns.map(turnOf);
  throw bad(
    path,
    result.error.issues.map((issue) => {
      const line = lineOf(document, lines, issue);
      return `${line === null ? '' : `line ${line}: `}${issueText(issue)}`;
    }),
  );
}

function turnOf({
  match,
  text,
  tool_calls = [],
  usage,
  delay,
  chunk_delay,
  error,
  finish,
}: Turn): ScriptTurn {
  return {
    match:
      match === undefined
        ? null
        : typeof match === 'string'
          ? [match]
          : Array.isArray(match)
            ? match
            : new RegExp(match.regex, 'u'),
    text: text ?? null,
    toolCalls: tool_calls.map(({ tool, id = null, args = {}, args_text }) => ({
      tool,
      id,
      args: args_text ?? (args as JsonObject),
    })),
    usage,
    delayMs: delay * 1_000,
    chunkDelayMs: chunk_delay * 1_000,
    error:
      error === undefined
        ? null
        : {
            kind: error.kind,
            retryAfterMs: error.retry_after === undefined ? null : error.retry_after * 1_000,
            times: error.times ?? null,
          },
    finish:
      finish === 'content_filter'
        ? 'content-filter'
        : (finish ?? (tool_calls.length > 0 ? 'tool-calls' : 'stop')),
  };
}

function refuseUselessTurn({ match, text, tool_calls, error }: Turn, context: z.RefinementCtx): void {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  if (text === undefined && tool_calls === undefined && error?.times !== undefined) {
    refuse(`after ${error.times} errors it has to answer: give it a text or tool_calls, or leave times out`);
  } else if (text === undefined && tool_calls === undefined && error === undefined) {
    refuse('says nothing: give it a text (which may be empty), tool_calls or an error');
  }
  const groups = typeof match === 'object' && 'regex' in match ? groupsOf(match.regex) : [];
  const named = [text ?? null, ...(tool_calls ?? []).map(({ args, args_text }) => args ?? args_text ?? null)];
  for (const name of new Set(named.flatMap(placeholdersIn))) {
    if (name === RESULT || groups.includes(name)) continue;
    const those = groups.length === 0 ? '' : ` and ${groups.join(', ')}`;
    refuse(`{{${name}}} is not known here; there are ${RESULT}${those}, and the named groups of match.regex`);
  }
}

function placeholdersIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACEHOLDER)].map((found) => found[1]!);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(placeholdersIn) : [];
}

function groupsOf(pattern: string): readonly string[] {
  if (!isPattern(pattern)) return [];
  // With an empty alternative it matches anything, and tells its groups.
  return Object.keys(new RegExp(`(?:${pattern})|`, 'u').exec('')?.groups ?? {});
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}

function valueOf(path: string, document: Document): Json {
  try {
    return document.toJS() as Json;
  } catch (error) {
    // Aliases that stand for more than they may.
    throw bad(path, [firstLine(String(error))]);
  }
}

/** Of the value at fault, of the key that is not known, or of what should have it. */
function lineOf(document: Document, lines: LineCounter, issue: z.core.$ZodIssue): number | null {
  for (let depth = issue.path.length; depth >= 0; depth -= 1) {
    const at = depth === 0 ? document.contents : document.getIn(issue.path.slice(0, depth), true);
    const key = issue.code === 'unrecognized_keys' && depth === issue.path.length ? issue.keys[0] : undefined;
    const node =
      key === undefined || !isMap(at) ? at : at.items.find((pair) => String(pair.key) === key)?.key;
    const range = (node as { readonly range?: readonly number[] | null } | null | undefined)?.range;
    if (range !== null && range !== undefined) return lines.linePos(range[0]!).line;
  }
  return null;
}

function issueText(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'the script' : issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
  const known = knownKeys(Script, issue.path);
  const those = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
  return `${where} has ${issue.keys.map((key) => `"${key}"`).join(', ')}, which is not a setting${those}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.replace(/:$/, '');
}

function bad(path: string, problems: readonly string[]): AppError {
  const more = problems.length - MAX_PROBLEMS;
  const shown = [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
  return new AppError('model.bad-script', `The script ${path} can't be used: ${shown.join('; ')}.`, {
    path,
    problems: shown,
  });
}
