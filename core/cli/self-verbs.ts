// The verb for what an agent changed about itself, and what the verbs that look tell of it.

import { InvalidArgumentError, Option } from 'commander';
import type { SelfView } from '../contract/self-view.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { at, type HostVerb } from './host-verb.ts';

export const SELF_VERBS: readonly HostVerb[] = [
  {
    usage: at('undo-changes'),
    description:
      'show what an agent changed about itself; or, with one of these, take it back: a process that it began is stopped for good',
    asks: 'self.undo',
    options: [
      new Option('--change <number>', 'this one, by its number; may be said again').argParser(
        (text: string, before: unknown): readonly number[] => [
          ...((before as readonly number[] | undefined) ?? []),
          numberIn(text),
        ],
      ),
      new Option('--all', 'all that is in force').conflicts('change'),
    ],
    more: (_, { change }) => ({ changes: change ?? null }),
    look: {
      isMeant: ({ all, change }) => all !== true && change === undefined,
      asks: 'processes.read',
      more: () => ({}),
      says: (answer) => said(answer as ProcessDetail),
      picks: (answer) => ({ self: (answer as ProcessDetail).self }),
    },
  },
];

function numberIn(text: string): number {
  const seq = Number(text);
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new InvalidArgumentError(`${text} is no change; say its number, which is that of its entry`);
}

function said({ self, row }: ProcessDetail): readonly string[] {
  const lines = selfLines(self);
  return lines.length === 0 ? [`${row.name} has changed nothing about itself.`] : lines;
}

/** A line for each change, the newest first, and where it comes from. */
export function selfLines({ changes, parent }: SelfView): readonly string[] {
  const from = parent === null ? [] : [`begun by ${parent.process}, ${parent.depth} deep`];
  return [
    ...from,
    ...changes.map(({ seq, text, reason, at: when, end }) => {
      const what = end === null ? 'in force' : `${end.how} by ${end.actor} (${end.reason})`;
      return `changed by itself: ${seq} ${text} at ${when}${reason === '' ? '' : ` · ${reason}`}: ${what}`;
    }),
  ];
}
