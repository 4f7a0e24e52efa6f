// What of a process waits for a person, as views. Pure: the same state gives the same view.

import { createHash } from 'node:crypto';
import type { WaitingDetail, WaitingItem, WaitingView } from '../contract/waiting-view.ts';
import { personAsk, type PersonAsk } from '../model/approval.ts';
import { describeOverrun } from '../model/budget.ts';
import { needsOperator, type RecordedEffect } from '../model/effects.ts';
import { AppError } from '../model/errors.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { timestampOf } from '../model/time.ts';
import type { DurableWait } from '../model/waits.ts';
import { cut, showCut } from './cut.ts';
import { countOf, MAX_ID, MAX_LINE, MAX_NAME, MAX_SENTENCE, MAX_WORD } from './view-limits.ts';
import type { InHand } from './work-views.ts';

const MAX_ITEMS = 500;
const MAX_ARGS = 256 * 1024;
const MAX_WHY = 8_000;
const MAX_SCHEMA = 64 * 1024;
const MAX_DIFF = 64 * 1024;
const MAX_DIFFS = 8;
const MAX_OPTIONS = 20;

export interface WaitingInput {
  readonly journalId: string;
  readonly name: string;
  readonly snapshot: Readonly<ProcessSnapshot>;
  readonly isLive: boolean;
  readonly isInHand: InHand;
}

type Waiting =
  | { readonly kind: 'ask'; readonly wait: DurableWait; readonly ask: PersonAsk }
  | { readonly kind: 'promise'; readonly wait: DurableWait }
  | { readonly kind: 'doubt'; readonly effect: RecordedEffect }
  | { readonly kind: 'budget'; readonly since: string };

/** An effect is in doubt once no worker has its invocation in hand; a promise without data says nothing to a person. */
function waitingOf({ snapshot, isInHand }: WaitingInput): readonly Waiting[] {
  const { open, holds, budget } = snapshot;
  const found = open.flatMap(({ event, waits, effects }): Waiting[] => {
    const isUnattended = isInHand === null || !isInHand(event.eventId);
    return [
      ...waits.flatMap((wait): Waiting[] => {
        if (wait.kind !== 'promise' || wait.end !== null) return [];
        const ask = personAsk(wait);
        if (ask !== null) return [{ kind: 'ask', wait, ask }];
        return wait.data === null ? [] : [{ kind: 'promise', wait }];
      }),
      ...(isUnattended
        ? effects.filter(needsOperator).map((effect): Waiting => ({ kind: 'doubt', effect }))
        : []),
    ];
  });
  const hold = budget.exceeded === null ? undefined : holds.find(({ kind }) => kind === 'budget');
  return hold === undefined ? found : [...found, { kind: 'budget', since: hold.since }];
}

/** How many there are, and a mark that changes with which they are. */
export function waitingMark(input: WaitingInput): { readonly count: number; readonly mark: string } {
  const all = waitingOf(input);
  if (all.length === 0) return { count: 0, mark: '' };
  const hash = createHash('sha256');
  // Those of a journal of somebody else may be of any length.
  for (const one of all) hash.update(`${one.kind} ${idOf(one, input).slice(0, MAX_ID)}\n`);
  return { count: all.length, mark: hash.digest('base64url').slice(0, 12) };
}

export function waitingView(inputs: readonly WaitingInput[]): WaitingView {
  const items = inputs.flatMap((input) => waitingOf(input).map((one) => itemOf(one, input)));
  const oldest = items.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
  return { at: timestampOf(Date.now()), items: oldest.slice(0, MAX_ITEMS), count: items.length };
}

/** @throws `waiting.over` for what is decided, or never was there */
export function waitingDetail(input: WaitingInput, kind: WaitingItem['kind'], id: string): WaitingDetail {
  for (const one of waitingOf(input)) {
    const item = itemOf(one, input);
    if (item.kind === kind && item.id === id) return detailOf(one, item);
  }
  throw new AppError(
    'waiting.over',
    `${input.name} does not wait for this any more: it was decided, it expired, or its invocation ended.`,
    { process: input.name, id },
  );
}

function idOf(one: Waiting, { snapshot }: WaitingInput): string {
  switch (one.kind) {
    case 'ask':
    case 'promise':
      return one.wait.waitId;
    case 'doubt':
      return one.effect.effectId;
    case 'budget':
      return snapshot.budget.exceeded?.limit ?? '';
  }
}

function itemOf(one: Waiting, input: WaitingInput): WaitingItem {
  const { journalId, snapshot, isLive } = input;
  const process = cut(input.name, MAX_NAME);
  const id = cut(idOf(one, input), MAX_ID);
  const facts = factsOf(one, snapshot);
  return {
    key: `${journalId}/${encodeURIComponent(process.toWellFormed())}/${facts.kind}/${id}`,
    journalId,
    process,
    live: isLive,
    state: cut(snapshot.lifecycle, MAX_WORD),
    id,
    effectClass: '',
    expiresAt: null,
    onExpiry: 'fail',
    isUrgent: false,
    ...facts,
    title: cut(facts.title, MAX_WORD),
    text: cut(facts.text, MAX_SENTENCE),
    since: cut(facts.since, MAX_WORD),
  };
}

type Facts = Pick<WaitingItem, 'kind' | 'title' | 'text' | 'since'> & Partial<WaitingItem>;

function factsOf(one: Waiting, { budget }: Readonly<ProcessSnapshot>): Facts {
  switch (one.kind) {
    case 'ask': {
      const { wait, ask } = one;
      const when = { since: wait.createdAt, expiresAt: expiryOf(wait) };
      if (ask.kind === 'question') {
        const { question: text, isUrgent } = ask;
        return { kind: 'question', title: 'question', text, isUrgent, ...when };
      }
      const { tool: title, why: text, onExpiry } = ask;
      return {
        kind: 'approval',
        title,
        text,
        onExpiry,
        effectClass: cut(ask.effectClass, MAX_WORD),
        ...when,
      };
    }
    case 'promise': {
      const { wait } = one;
      const text = showCut(wait.data, MAX_LINE).text;
      return { kind: 'promise', title: wait.name, text, since: wait.createdAt, expiresAt: expiryOf(wait) };
    }
    case 'doubt': {
      const { name: title, announcedAt: since, end, effectClass } = one.effect;
      const text = end === null || end.kind === 'done' ? 'Its end is not known.' : end.error;
      return { kind: 'doubt', title, text, since, effectClass: cut(effectClass, MAX_WORD) };
    }
    case 'budget': {
      const { exceeded } = budget;
      const text = exceeded === null ? '' : describeOverrun(exceeded);
      return { kind: 'budget', title: exceeded?.limit ?? '', text, since: one.since };
    }
  }
}

function expiryOf({ dueAt }: DurableWait): string | null {
  return dueAt === null || Number.isNaN(dueAt) ? null : timestampOf(dueAt);
}

function detailOf(one: Waiting, item: WaitingItem): WaitingDetail {
  const nothing = {
    item,
    source: '',
    why: '',
    argsText: null,
    isWhole: false,
    argsBytes: 0,
    schemaText: null,
    diffs: [],
    options: [],
    problem: '',
    effectKey: '',
  };
  switch (one.kind) {
    case 'ask':
      return { ...nothing, ...askDetail(one.ask) };
    case 'promise': {
      const { text, cut: isCut } = showCut(one.wait.data, MAX_ARGS, 2);
      return { ...nothing, argsText: text, isWhole: !isCut, argsBytes: text.length };
    }
    case 'doubt': {
      const { argsPreview, key } = one.effect;
      return { ...nothing, argsText: cut(argsPreview, MAX_SENTENCE), effectKey: cut(key, MAX_ID) };
    }
    case 'budget':
      return nothing;
  }
}

function askDetail(ask: PersonAsk): Partial<WaitingDetail> {
  if (ask.kind === 'question') {
    const options = ask.options.slice(0, MAX_OPTIONS).map((option) => cut(option, MAX_LINE));
    return { why: cut(ask.question, MAX_WHY), options };
  }
  const args = ask.args === undefined ? null : showCut(ask.args, MAX_ARGS, 2);
  const schema = ask.schema === null ? null : showCut(ask.schema, MAX_SCHEMA);
  return {
    source: cut(ask.source, MAX_WORD),
    why: cut(ask.why, MAX_WHY),
    argsText: args?.text ?? cut(ask.argsPreview, MAX_ARGS),
    isWhole: args !== null && !args.cut,
    argsBytes: countOf(ask.argsBytes),
    schemaText: schema === null || schema.cut ? null : schema.text,
    diffs: ask.diffs.slice(0, MAX_DIFFS).map(({ title, text, isCut }) => ({
      title: cut(title, MAX_LINE),
      text: cut(text, MAX_DIFF),
      isCut: isCut || text.length > MAX_DIFF,
    })),
    problem: cut(ask.problem, MAX_SENTENCE),
  };
}
