// Who says whether a mission is achieved: what a judge gets to see, and what of its answer is believed.

import { isObject, showJson, type Json, type JsonObject } from './json.ts';
import type { ReportedUse } from './model-calls.ts';
import type { CallOff } from './ports.ts';

/** What the last run did, newest last; names and hashes, not what went in or came out. */
export interface JudgedEffect {
  readonly name: string;
  readonly argsHash: string;
  /** `done`, `did_not_happen`, or `in_doubt`. */
  readonly end: string;
}

/** A run that is over, as far as a judge needs it. */
export interface JudgedRun {
  readonly invocation: number;
  readonly triggerId: string;
  readonly triggerType: string;
  /** The beginning of its payload as JSON. */
  readonly payload: string;
  /** The beginning of what it returned. */
  readonly response: string;
  readonly effects: readonly JudgedEffect[];
}

/** A copy: nothing that is done to it has an effect. */
export interface JudgeView {
  readonly process: string;
  readonly objective: string;
  readonly successCriteria: string;
  /** Successful runs since the mission started. */
  readonly runs: number;
  readonly state: Readonly<Record<string, Json>>;
  /** The last run; null before the first. */
  readonly lastRun: JudgedRun | null;
  /** The end of the conversation, oldest first. */
  readonly conversation: readonly { readonly role: string; readonly content: string }[];
  /** The last verdict; null before the first. */
  readonly before: Pick<Verdict, 'achieved' | 'confidence' | 'progress'> | null;
}

/** What a judge says. */
export interface Verdict {
  readonly achieved: boolean;
  /** How sure it is that the objective is reached, 0 to 1. */
  readonly confidence: number;
  readonly reasoning: string;
  /** How much of the way is done, 0 to 1; null where it does not say. */
  readonly progress: number | null;
}

export interface JudgeCall {
  /** Nobody waits for it any more: what it runs in is to be gone soon. */
  readonly callOff: CallOff;
  /** To be called when it begins: from then on its time counts, and it is paid for. */
  readonly onBegan: () => void;
  /**
   * What the model that it called used; null where that refused before anything was done. Where nobody says, all that was
   * booked counts.
   */
  readonly onUsed: (use: ReportedUse | null) => void;
}

/** Whoever can give a verdict: a function of the agent's module in a worker, or a model. */
export interface Judge {
  /**
   * What it says, not looked at yet.
   * @throws whatever keeps it from a verdict; the message is what a person reads
   */
  judge(view: JudgeView, call: JudgeCall): Promise<Json>;
  /** Resolves when nothing of it runs any more. */
  idle(): Promise<void>;
}

/** Promptise's limits of what a judge sees. */
export const MAX_JUDGED_EFFECTS = 20;
export const MAX_JUDGED_PAYLOAD = 300;
export const MAX_JUDGED_RESPONSE = 500;
const MAX_JUDGED_MESSAGES = 10;
const MAX_JUDGED_CONTENT = 500;

const MAX_REASONING = 2_000;
const KEYS = ['achieved', 'confidence', 'reasoning', 'progress'];

/** The verdict in what a judge said, or why there is none: nothing is guessed, and nothing is bent into range. */
export function verdictOf(said: Json): Verdict | { readonly nonsense: string } {
  if (!isObject(said)) return nonsense(`it said ${kindOf(said)}, not an object`);
  const unknown = Object.keys(said).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    return nonsense(`it said ${JSON.stringify(unknown.slice(0, 100))}; there are ${KEYS.join(', ')}`);
  }
  const { achieved, confidence, reasoning = '', progress = null } = said;
  if (typeof achieved !== 'boolean') return nonsense('achieved is neither true nor false');
  if (!isShare(confidence)) return nonsense('confidence is no number from 0 to 1');
  if (progress !== null && !isShare(progress)) return nonsense('progress is no number from 0 to 1');
  if (typeof reasoning !== 'string') return nonsense('reasoning is no text');
  return { achieved, confidence, progress, reasoning: reasoning.slice(0, MAX_REASONING) };
}

function nonsense(why: string): { readonly nonsense: string } {
  return { nonsense: `the judge answered nonsense: ${why}` };
}

export function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function kindOf(value: Json): string {
  if (value === null) return 'nothing';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** The end of a conversation, as a judge sees it. */
export function judgedConversation(conversation: readonly JsonObject[]): JudgeView['conversation'] {
  return conversation.slice(-MAX_JUDGED_MESSAGES).map(({ role, content }) => ({
    role: typeof role === 'string' ? role.slice(0, 100) : '',
    content: (typeof content === 'string' ? content : showJson(content ?? '')).slice(0, MAX_JUDGED_CONTENT),
  }));
}
