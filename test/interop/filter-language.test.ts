// The filter language is Promptise's: its own evaluator and ours refuse the same expressions and work out the same
// values, but for the differences that are listed here with their reasons. All of them in one Python process. [A10]

import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { AppError, messageOf } from '../../core/model/errors.ts';
import { evaluate, type FilterSubject } from '../../core/model/filter-evaluate.ts';
import { applyFilter, parseFilter } from '../../core/model/filter-expression.ts';
import type { FilterNode } from '../../core/model/filter-parser.ts';
import { compareTexts } from '../../core/model/filter-text.ts';
import { Display, reprOf, type Value } from '../../core/model/filter-values.ts';
import { newWork } from '../../core/model/filter-work.ts';
import type { Json, JsonObject } from '../../core/model/json.ts';
import { EDGES, events, expressions, misspelt, MORE_EDGES, PAYLOAD } from './filter-cases.ts';
import { needPromptise } from './ask-promptise.ts';
import { promptisePython, runPython } from './promptise.ts';
import { pythonJson } from './python-json.ts';

const GENERATED = 4_000;
const MISSPELT = 2_000;
const SEED = Date.now() % 2 ** 31;

interface Case {
  readonly expression: string;
  readonly payload: Json;
  /** The payload as Promptise reads it, where that is not how it would be written. */
  readonly written?: string;
}
type Answer =
  | { readonly refused: string }
  | { readonly fault: string }
  | { readonly value: string; readonly matches: boolean };

const METADATA: JsonObject = { method: 'POST', headers: { 'x-event': 'push' }, query: {} };
const EVENT = { trigger_type: 'webhook', trigger_id: 'webhook-9090/hook', event_id: '5f0c' };

/** What is not as in Promptise, on purpose; what they answer and we do, for an expression that shows it. */
const INTENDED: readonly (readonly [reason: string, expression: string, theirs: RegExp, ours: RegExp])[] = [
  [
    'a call that can only fail is refused when it is read',
    'len()',
    /^fault TypeError/,
    /^refused .*takes 1 argument/,
  ],
  [
    'a call that can only fail is refused when it is read',
    'action.strip(1, 2)',
    /^fault/,
    /^refused .*arguments/,
  ],
  [
    'half a character is refused: half of a pair would be taken for its own',
    "'\\ud83d'",
    /^value/,
    /^refused .*half/,
  ],
  [
    'a table of all names of characters is not worth its size',
    "'\\N{EM DASH}'",
    /^value '—'/,
    /^refused .*by name/,
  ],
  ['what "is" says of numbers is an accident of memory', '300 is count300', /^value False/, /^value True/],
  ['what "is" says of texts is an accident of memory', "action is 'opened'", /^value False/, /^value True/],
  ['digits of other scripts are no numbers', "int('٣')", /^value 3/, /^fault/],
  [
    'a whole number of an event is an integer however it was written',
    'str(whole)',
    /^value '1.0'/,
    /^value '1'/,
  ],
  [
    'brackets nest as deep as a person can follow',
    `${'('.repeat(101)}1${')'.repeat(101)}`,
    /^value|^refused/,
    /^refused .*brackets/,
  ],
  ['lines before the first may be indented', '# c\n  count', /^refused/, /^value 3/],
];
const INTENDED_PAYLOAD = '{"action": "opened", "count": 3, "count300": 300, "whole": 1.0}';

const byHand: readonly Case[] = [...EDGES, ...MORE_EDGES].map((expression) => ({
  expression,
  payload: PAYLOAD,
}));
const atRandom: readonly Case[] = fc.sample(fc.record({ expression: expressions.test, payload: events }), {
  numRuns: GENERATED,
  seed: SEED,
});
const withTypos: readonly Case[] = fc.sample(fc.record({ expression: misspelt, payload: events }), {
  numRuns: MISSPELT,
  seed: SEED,
});
const onPurpose: readonly Case[] = INTENDED.map(([, expression]) => ({
  expression,
  payload: JSON.parse(INTENDED_PAYLOAD) as Json,
  written: INTENDED_PAYLOAD,
}));

const answers = new Map<Case, Answer>();

beforeAll(async () => {
  if (promptisePython() === null) return;
  const cases = [...byHand, ...atRandom, ...withTypos, ...onPurpose];
  const input = cases.map(({ expression, payload, written }) => {
    const rest = pythonJson({ expression, metadata: METADATA, ...EVENT }).slice(0, -1);
    return `${rest}, "payload": ${written ?? pythonJson(payload)}}\n`;
  });
  const output = await runPython('filter.py', [], { input: input.join('') });
  const lines = output.trimEnd().split('\n');
  if (lines.length !== cases.length) throw new Error(`${lines.length} answers to ${cases.length} questions`);
  for (const [at, line] of lines.entries()) answers.set(cases[at]!, JSON.parse(line) as Answer);
});

beforeEach(needPromptise);

test('expressions written by hand are refused or worked out alike [A10]', () => {
  expect(differences(byHand)).toEqual([]);
});

test(`expressions made at random (seed ${SEED}) are worked out alike [A10]`, () => {
  expect(differences(atRandom)).toEqual([]);
  const values = atRandom.map(ours).flatMap((answer) => ('value' in answer ? [answer] : []));
  expect(values.length).toBeGreaterThan(1_000);
  expect(values.filter(({ matches }) => matches).length).toBeGreaterThan(300);
  expect(values.filter(({ matches }) => !matches).length).toBeGreaterThan(300);
});

test(`expressions misspelt at random (seed ${SEED}) are refused or worked out alike [A10]`, () => {
  expect(differences(withTypos, isIntended)).toEqual([]);
});

test('what differs on purpose differs as its reason says', () => {
  for (const [at, [reason, expression, theirs, our]] of INTENDED.entries()) {
    const given = onPurpose[at]!;
    expect(line(answers.get(given)!), `${reason}: ${expression}`).toMatch(theirs);
    expect(line(ours(given)), `${reason}: ${expression}`).toMatch(our);
  }
});

function ours({ expression, payload }: Case): Answer {
  const subject: FilterSubject = {
    payload,
    metadata: METADATA,
    triggerType: EVENT.trigger_type,
    triggerId: EVENT.trigger_id,
    eventId: EVENT.event_id,
  };
  let filter;
  try {
    filter = parseFilter(expression);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'trigger.bad-filter') throw error;
    return { refused: messageOf(error) };
  }
  const outcome = evaluate(filter.tree, subject);
  const { matches } = applyFilter(filter, subject);
  if (!('fault' in outcome)) return { value: show(outcome.value), matches };
  return matches ? { value: 'a filter that fails lets nothing through', matches } : { fault: outcome.fault };
}

/** The first of them, with all that is needed to see why. */
function differences(
  cases: readonly Case[],
  except?: (expression: string, answer: Answer) => boolean,
): unknown[] {
  const found: unknown[] = [];
  for (const given of cases) {
    const own = ours(given);
    const theirs = answers.get(given)!;
    if (comparable(own) === comparable(theirs) || except?.(given.expression, own) === true) continue;
    const payload = pythonJson(given.payload).slice(0, 2_000);
    if (found.length < 8) found.push({ expression: given.expression, payload, ours: own, theirs });
  }
  return found;
}

/** Where both refuse or both fail, the words are their own. */
function comparable(answer: Answer): string {
  if ('refused' in answer) return 'refused';
  return 'fault' in answer ? 'fault' : `${answer.matches} ${answer.value}`;
}

function line(answer: Answer): string {
  const [kind, text] = Object.entries(answer)[0]!;
  return `${kind} ${text}`;
}

/** As Python writes it, but a set, which has no order there. */
function show(value: Value): string {
  if (!(value instanceof Display)) return reprOf(value, newWork());
  const items = value.items.map(show);
  if (value.kind === 'set') return `{${items.sort(compareTexts).join(', ')}}`;
  if (value.kind === 'list') return `[${items.join(', ')}]`;
  return `(${items.join(', ')}${items.length === 1 ? ',' : ''})`;
}

/** The differences that a changed letter may run into. */
function isIntended(expression: string, own: Answer): boolean {
  if (/\n\s/.test(expression)) return true;
  if ('refused' in own) return /takes .* argument|half a character|by name/.test(own.refused);
  return comparesIdentity(parseFilter(expression).tree);
}

/** Whether two are asked for being the same one, of which neither is None, True or False. */
function comparesIdentity(node: FilterNode): boolean {
  switch (node.kind) {
    case 'constant':
    case 'name':
      return false;
    case 'display':
    case 'and':
    case 'or':
      return node.items.some(comparesIdentity);
    case 'not':
    case 'minus':
    case 'field':
      return comparesIdentity(node.of);
    case 'item':
      return comparesIdentity(node.of) || comparesIdentity(node.key);
    case 'call':
      return node.args.some(comparesIdentity);
    case 'method':
      return comparesIdentity(node.of) || node.args.some(comparesIdentity);
    case 'compare': {
      const operands = [node.first, ...node.rest.map(({ right }) => right)];
      return (
        operands.some(comparesIdentity) ||
        node.rest.some(
          ({ by }, at) => by.startsWith('is') && !isSingle(operands[at]!) && !isSingle(operands[at + 1]!),
        )
      );
    }
  }
}

function isSingle(node: FilterNode): boolean {
  return node.kind === 'constant' && (node.value === null || typeof node.value === 'boolean');
}
