// What waits for a person, as lines: all of it, and one of them with everything that a decision needs and what to type.

import type { WaitingDetail, WaitingItem, WaitingView } from '../contract/waiting-view.ts';
import type { WaitView } from '../contract/work-views.ts';
import { APPROVAL_PREFIX, QUESTION_NAME } from '../model/approval.ts';
import { typed } from './reach.ts';

export function waitingLines({ items, count }: WaitingView): readonly string[] {
  if (items.length === 0) return ['Nothing waits for a person.'];
  const lines = items.map(waitingLine);
  return lines.length < count ? [...lines, `These are the oldest ${lines.length} of ${count}.`] : lines;
}

function waitingLine(item: WaitingItem): string {
  const { since, process, kind, id, title, text, effectClass } = item;
  const what = kind === 'question' ? '' : ` ${title}${effectClass === '' ? '' : ` (${effectClass})`}`;
  return `${since}  ${process}  ${kind}${what}  ${id}${whenText(item)}${text === '' ? '' : ` · ${text}`}`;
}

function whenText({ expiresAt, onExpiry, isUrgent }: WaitingItem): string {
  const until = expiresAt === null ? '' : `, until ${expiresAt} (then ${THEN[onExpiry]})`;
  return `${until}${isUrgent ? ', urgent' : ''}`;
}

const THEN: Readonly<Record<WaitingItem['onExpiry'], string>> = {
  approve: 'it is approved',
  reject: 'it is rejected',
  fail: 'it goes on without',
};

/** One of them; `directory` is where it was asked for. */
export function waitingDetailLines(directory: string, detail: WaitingDetail): readonly string[] {
  const { item, why, argsText, isWhole, argsBytes, diffs, options, problem } = detail;
  const { process, kind, title, effectClass, since } = item;
  const what = kind === 'question' ? '' : ` ${title}${effectClass === '' ? '' : ` (${effectClass})`}`;
  const source = detail.source === '' ? '' : `, of ${detail.source}`;
  return [
    `${kind}${what}${source}, asked for by ${process} since ${since}${whenText(item)}`,
    ...(problem === '' ? [] : ['asked again:', ...indented(problem)]),
    ...(why === '' ? indented(item.text) : [kind === 'question' ? 'asks:' : 'why:', ...indented(why)]),
    ...diffs.flatMap((diff) => [
      `would change ${diff.title}:`,
      ...indented(diff.text),
      ...(diff.isCut ? ['  … (cut)'] : []),
    ]),
    ...(argsText === null ? [] : [kind === 'promise' ? 'with:' : 'arguments:', ...indented(argsText)]),
    ...(isWhole || argsText === null ? [] : [`  … of ${argsBytes} bytes, which can't be edited`]),
    ...options.map((option) => `suggested: ${option}`),
    ...waysOut(directory, detail),
  ];
}

/** What may be typed next. */
function waysOut(directory: string, { item, isWhole }: WaitingDetail): readonly string[] {
  const { kind, process, id } = item;
  switch (kind) {
    case 'approval':
      return [
        `to let it be called: ${typed('approve', directory, id)}${isWhole ? ` [--args '<json>']` : ''}`,
        `to refuse it: ${typed('reject', directory, id)} --reason <text>`,
      ];
    case 'question':
      return [
        `to answer it: ${typed('answer', directory, id)} <text>`,
        `to decline it: ${typed('reject', directory, id)} --reason <text>`,
      ];
    case 'doubt':
      return [
        `to decide it: ${typed('resolve', directory, process, id)} --reason <text>, with --happened <json>, --did-not-happen or --skip`,
      ];
    case 'budget':
      return [`to allow more: ${typed('extend', directory, process, id)} <amount> --reason <text>`];
    case 'promise':
      return [
        `to settle it: ${typed('resolve-promise', directory, id)}, with --resolved <json> or --rejected <text>`,
      ];
  }
}

/** A line each, set in; a last line feed is no line. */
function indented(text: string): readonly string[] {
  if (text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `  ${line}`);
}

/** Of an invocation that waits. What an agent asks a person is long, and is looked at by itself. */
export function waitLine(directory: string, wait: WaitView): string {
  const { kind, name, waitId, dueAt, dataText } = wait;
  const until = dueAt === null ? '' : ` until ${dueAt}`;
  if (kind !== 'promise') return `waits for: ${kind} ${name}${until}`;
  const asks = name.startsWith(APPROVAL_PREFIX)
    ? `approval of ${name.slice(APPROVAL_PREFIX.length)}`
    : name === QUESTION_NAME
      ? 'an answer'
      : null;
  return asks === null
    ? `waits for: promise ${name}${until} · ${waitId} · ${dataText}`
    : `waits for: ${asks}${until} · ${waitId} · to look at it: ${typed('waiting', directory, waitId)}`;
}
