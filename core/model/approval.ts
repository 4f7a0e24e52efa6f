// What a person is asked by an agent: whether a tool may be called, or a question. It travels as the data of a durable
// promise, so it outlives worker and host, and whoever may settle the promise sees all of it.

import { schemaProblems } from './check-schema.ts';
import { isObject, numberAt, objectAt, objectsAt, textAt, type Json, type JsonObject } from './json.ts';
import { unmoved } from './placeholder.ts';
import type { DurableWait } from './waits.ts';

/** Names of the promises. */
export const APPROVAL_PREFIX = 'approval:';
export const QUESTION_NAME = 'question';

/** Of the arguments, as JSON: up to here they are there whole. */
export const MAX_WHOLE_ARGS = 64 * 1024;
export const MAX_ARGS_PREVIEW = 8 * 1024;
/** Characters. */
export const MAX_WHY = 2_000;
export const MAX_ANSWER = 20_000;
export const MAX_QUESTION = 8_000;
export const MAX_OPTIONS = 20;

export interface TextDiff {
  /** What is changed, for a person: a path, or the name of a part of the state. */
  readonly title: string;
  /** Unified; empty where nothing would change. */
  readonly text: string;
  readonly isCut: boolean;
}

export interface ApprovalAsk {
  readonly kind: 'approval';
  readonly tool: string;
  readonly source: string;
  readonly effectClass: string;
  /** Undefined where they are too large to be here whole. */
  readonly args: Json | undefined;
  readonly argsPreview: string;
  readonly argsBytes: number;
  /** What the model says that it is for. */
  readonly why: string;
  readonly diffs: readonly TextDiff[];
  /** Of the arguments; null where it was too large to be here. */
  readonly schema: JsonObject | null;
  readonly onExpiry: 'reject' | 'approve';
  /** Why the decision before this one could not be used; empty for the first. */
  readonly problem: string;
}

export interface QuestionAsk {
  readonly kind: 'question';
  readonly question: string;
  readonly options: readonly string[];
  readonly isUrgent: boolean;
}

export type PersonAsk = ApprovalAsk | QuestionAsk;

export function approvalData(ask: ApprovalAsk, expiresInMs: number | null): JsonObject {
  return {
    kind: 'approval',
    tool: ask.tool,
    source: ask.source,
    class: ask.effectClass,
    ...(ask.args === undefined ? {} : { args: ask.args }),
    args_preview: ask.argsPreview,
    args_bytes: ask.argsBytes,
    why: ask.why,
    diffs: ask.diffs.map(({ title, text, isCut }) => ({ title, text, ...(isCut ? { cut: true } : {}) })),
    ...(ask.schema === null ? {} : { schema: ask.schema }),
    expires_in_ms: expiresInMs,
    on_expiry: ask.onExpiry,
    ...(ask.problem === '' ? {} : { problem: ask.problem }),
  };
}

export function questionData({ question, options, isUrgent }: QuestionAsk): JsonObject {
  return { kind: 'question', question, options: [...options], urgent: isUrgent };
}

/** What a promise asks a person; null for one that is another matter. */
export function personAsk({ kind, name, data }: DurableWait): PersonAsk | null {
  if (kind !== 'promise' || !isObject(data)) return null;
  if (name === QUESTION_NAME && data['kind'] === 'question') {
    const options = Array.isArray(data['options']) ? (data['options'] as readonly Json[]) : [];
    return {
      kind: 'question',
      question: textAt(data, 'question'),
      options: options.filter((option) => typeof option === 'string').slice(0, MAX_OPTIONS),
      isUrgent: data['urgent'] === true,
    };
  }
  if (!name.startsWith(APPROVAL_PREFIX) || data['kind'] !== 'approval') return null;
  return {
    kind: 'approval',
    tool: textAt(data, 'tool'),
    source: textAt(data, 'source'),
    effectClass: textAt(data, 'class'),
    args: data['args'],
    argsPreview: textAt(data, 'args_preview'),
    argsBytes: numberAt(data, 'args_bytes'),
    why: textAt(data, 'why'),
    diffs: objectsAt(data, 'diffs').map((diff) => ({
      title: textAt(diff, 'title'),
      text: textAt(diff, 'text'),
      isCut: diff['cut'] === true,
    })),
    schema: objectAt(data, 'schema'),
    onExpiry: data['on_expiry'] === 'approve' ? 'approve' : 'reject',
    problem: textAt(data, 'problem'),
  };
}

/** What somebody decided, as the promise is resolved with it. */
export type Decision =
  | { readonly verdict: 'approve'; /** Edited. */ readonly args?: Json }
  | { readonly verdict: 'reject'; readonly reason: string };

/** Null, with what is wrong, for what is no decision. */
export function decisionOf(value: Json): Decision | { readonly verdict: null; readonly problem: string } {
  if (isObject(value) && value['verdict'] === 'approve') {
    return Object.hasOwn(value, 'args')
      ? { verdict: 'approve', args: value['args']! }
      : { verdict: 'approve' };
  }
  if (isObject(value) && value['verdict'] === 'reject') {
    return { verdict: 'reject', reason: textAt(value, 'reason') };
  }
  return {
    verdict: null,
    problem:
      'What it was settled with is neither {"verdict":"approve"} nor {"verdict":"reject","reason":"…"}',
  };
}

/**
 * What is wrong with arguments that somebody edited; null for nothing.
 * @param ask who asked, with what it showed
 */
export function editProblem(
  { args: shown, schema }: Pick<ApprovalAsk, 'args' | 'schema'>,
  args: Json,
): string | null {
  // What was too large to be shown whole is looked at by whoever asked.
  const found = shown === undefined ? { args } : unmoved(shown, args);
  return 'problem' in found ? found.problem : argsProblem(schema, args);
}

/** What is wrong with the arguments of a tool; null for nothing. */
export function argsProblem(schema: JsonObject | null, args: Json): string | null {
  if (!isObject(args)) return 'The arguments of a tool are an object';
  const problems = schema === null ? [] : schemaProblems(schema, args);
  return problems.length === 0 ? null : problems.join('; ');
}

/** The answer to a question, as a text; null for what is none. */
export function answerOf(value: Json): string | null {
  if (typeof value === 'string') return value;
  const answer = isObject(value) ? value['answer'] : undefined;
  return typeof answer === 'string' ? answer : null;
}

/** How a person's decision ended, in a word, where it has. */
export type AskEnd = 'approved' | 'rejected' | 'answered' | 'expired';

export function askEnd(ask: PersonAsk, end: NonNullable<DurableWait['end']>): AskEnd {
  if (end.status === 'expired') return 'expired';
  if (end.status !== 'resolved') return 'rejected';
  if (ask.kind === 'question') return 'answered';
  return decisionOf(end.value).verdict === 'approve' ? 'approved' : 'rejected';
}

/** Who decided, where the settlement says so; empty where it does not. */
export function decidedBy(end: NonNullable<DurableWait['end']>): string {
  return end.status === 'resolved' && isObject(end.value) ? textAt(end.value, 'by') : '';
}
