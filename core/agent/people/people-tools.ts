// What a model may do with people: ask one. The question is a durable promise, and its answer the tool's result.

import type { JSONSchema7 } from '@ai-sdk/provider';
import { answerOf, MAX_OPTIONS, MAX_QUESTION, QUESTION_NAME, questionData } from '../../model/approval.ts';
import { isObject, textAt, type Json, type JsonObject } from '../../model/json.ts';
import { PromiseExpired, PromiseRejected } from '../effect-errors.ts';
import { ownOffer } from '../llm/own-offer.ts';
import type { ToolAnswer, ToolOffer, ToolSource, Turn } from '../llm/tool.ts';

const MAX_OPTION = 500;
/** A year. */
const MAX_MINUTES = 366 * 24 * 60;

const DESCRIPTION =
  'Ask the person who is responsible for you, and wait for the answer, which may take minutes or days. Use it when you lack a decision or a fact that only a person has; not for what a tool can tell you.';

const PROPERTIES: Readonly<Record<string, JSONSchema7>> = {
  question: { type: 'string', description: 'One question, with what is needed to answer it' },
  options: {
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_OPTIONS,
    description: 'Answers to choose from; any other text may be answered as well',
  },
  urgent: { type: 'boolean', description: 'Whether it is to be shown before other questions' },
  expires_in_minutes: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: MAX_MINUTES,
    description: 'After which you go on without an answer; without it you wait as long as it takes',
  },
};

const OFFER: ToolOffer = ownOffer(
  { name: 'ask_human', description: DESCRIPTION, source: 'people', how: 'direct', class: 'idempotent' },
  PROPERTIES,
  ['question'],
);

export function peopleTools(): ToolSource {
  return {
    list: ({ plan }) =>
      Promise.resolve({
        offers: plan.tools[OFFER.name]?.isDisabled === true ? [] : [OFFER],
        problems: [],
      }),
    call: (turn, _offer, { args }) => ask(turn, args),
    close: () => Promise.resolve(),
  };
}

async function ask({ ctx }: Turn, args: Json): Promise<ToolAnswer> {
  const given = isObject(args) ? args : {};
  const question = textAt(given, 'question').trim();
  if (question === '' || question.length > MAX_QUESTION) {
    return failed(`A question has 1 to ${MAX_QUESTION} characters; this one has ${question.length}.`);
  }
  const expiresInMs = expiryIn(given);
  if (expiresInMs === undefined) {
    return failed(`expires_in_minutes is a number above 0 and up to ${MAX_MINUTES}, or left out.`);
  }
  const asked = { kind: 'question', question, options: optionsIn(given) } as const;
  const data = questionData({ ...asked, isUrgent: given['urgent'] === true });
  try {
    const expiry = expiresInMs === null ? {} : { expiresInMs };
    const answer = answerOf(await ctx.promise(QUESTION_NAME, { data, ...expiry }));
    return answer === null
      ? failed('The question was settled with something that is no answer.')
      : { text: answer, isError: false };
  } catch (error) {
    if (error instanceof PromiseRejected) return failed(`Nobody answers it: ${error.message}`);
    if (error instanceof PromiseExpired) return failed('Nobody answered in time.');
    throw error;
  }
}

/** Null for none; undefined for what makes no sense. */
function expiryIn(given: JsonObject): number | null | undefined {
  const minutes = given['expires_in_minutes'] ?? null;
  if (minutes === null) return null;
  return typeof minutes === 'number' && minutes > 0 && minutes <= MAX_MINUTES
    ? Math.ceil(minutes * 60_000)
    : undefined;
}

function optionsIn({ options }: JsonObject): readonly string[] {
  if (!Array.isArray(options)) return [];
  return (options as readonly Json[])
    .filter((option) => typeof option === 'string')
    .slice(0, MAX_OPTIONS)
    .map((option) => option.slice(0, MAX_OPTION).toWellFormed());
}

function failed(text: string): ToolAnswer {
  return { text, isError: true };
}
