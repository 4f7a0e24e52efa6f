// The verbs for what waits for a person, and for what people write to an agent.

import { InvalidArgumentError } from 'commander';
import type { WaitingDetail, WaitingView } from '../contract/waiting-view.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { counted } from '../host/counted.ts';
import { AppError } from '../model/errors.ts';
import { at, jsonOption, type Given, type HostVerb } from './host-verb.ts';
import { waitingDetailLines, waitingLines } from './waiting-lines.ts';

const decides = (more: HostVerb['more']): Pick<HostVerb, 'asks' | 'more'> => ({
  asks: 'approvals.decide',
  more: (words, given) => ({ process: null, promiseId: words[0], ...more?.(words, given) }),
});

export const PEOPLE_VERBS: readonly HostVerb[] = [
  {
    usage: 'waiting <directory> [id]',
    description:
      'list what waits for a person: approvals, questions, doubts, budget requests and promises; with an id, all about that one',
    asks: 'waiting.read',
    says: (answer) => waitingLines(answer as WaitingView),
    picks: (answer) => (answer as WaitingView).items,
    further: (answer, { directory, words: [id] }) =>
      id === undefined
        ? null
        : {
            asks: 'waiting.show',
            fields: placeIn(answer as WaitingView, id),
            says: (detail) => waitingDetailLines(directory, detail as WaitingDetail),
          },
  },
  {
    usage: 'approve <directory> <id>',
    description: 'let a tool be called that waits for an approval; with --args, with those instead',
    options: [jsonOption('--args <json>', 'the arguments that it is called with')],
    ...decides((_, { args }) => ({
      decision: { kind: 'approve', ...(args === undefined ? {} : { argsText: args }) },
    })),
  },
  {
    usage: 'reject <directory> <id>',
    description: 'refuse a call that waits for an approval, or a question; the agent reads the reason',
    ...decides((_, given) => {
      if (isBlank(given))
        throw new InvalidArgumentError('"reject" needs --reason <text>: the agent reads why, and it is kept');
      return { decision: { kind: 'reject' } };
    }),
  },
  {
    usage: 'answer <directory> <id> <text>',
    description: 'answer a question that an agent asks',
    ...decides(([, text]) => ({ decision: { kind: 'answer', text } })),
  },
  {
    usage: at('inbox'),
    description: 'list what people wrote to an agent: what waits, what it got, and what it answered',
    asks: 'processes.read',
    says: (answer) => inboxLines(answer as ProcessDetail),
    picks: (answer) => {
      const { inbox, inboxRead } = answer as ProcessDetail;
      return { waiting: inbox, delivered: inboxRead };
    },
  },
];

/** @throws `waiting.not-found` */
function placeIn({ items, count }: WaitingView, id: string): Given {
  const found = items.find((item) => item.id === id);
  if (found === undefined) {
    throw new AppError(
      'waiting.not-found',
      items.length < count
        ? `${id} is not among the oldest ${items.length} of ${count} that wait. Decide some of those first, or look in the console.`
        : `Nothing waits under the id ${id}: it was decided, it expired, or it never was there. Without an id all that waits is listed.`,
      { id },
    );
  }
  const { process, kind } = found;
  return { process, kind, id };
}

function isBlank({ reason }: Given): boolean {
  return typeof reason !== 'string' || reason.trim() === '';
}

function inboxLines({ row, inbox, inboxRead }: ProcessDetail): readonly string[] {
  if (inbox.length + inboxRead.length === 0) return [`Nobody has written to ${row.name}.`];
  const head = ({ createdAt, messageType, priority, sender }: ProcessDetail['inbox'][number]): string =>
    `${createdAt}  ${messageType}${priority === 'normal' ? '' : `, ${priority}`} from ${sender}`;
  return [
    ...inbox.map((message) => {
      const until = message.expiresAt === null ? '' : ` until ${message.expiresAt}`;
      return `${head(message)}  waits${until} · ${message.content}`;
    }),
    ...inboxRead.map((message) => {
      const { answer, deliveredAt, invocation, messageType, content } = message;
      const said =
        answer === null
          ? messageType === 'question'
            ? ' · no answer'
            : ''
          : ` · answered ${answer.at}: ${answer.text}`;
      return `${head(message)}  delivered ${deliveredAt} to invocation ${invocation} · ${content}${said}`;
    }),
    `${counted(inbox.length, 'message')} to be delivered.`,
  ];
}
