// The verbs for who is told when something is wrong.

import { Option } from 'commander';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { counted } from '../host/counted.ts';
import { at, type HostVerb } from './host-verb.ts';

export const ESCALATION_VERBS: readonly HostVerb[] = [
  {
    usage: at('escalations'),
    description: 'list what somebody was to be told of, whether it is over, and whether they were told',
    asks: 'processes.read',
    says: (answer) => escalationLines(answer as ProcessDetail),
    picks: (answer) => {
      const { escalations, receivers } = answer as ProcessDetail;
      return { escalations, receivers };
    },
  },
  {
    usage: at('escalate'),
    description: 'send a test to everybody whom the manifest names, once, and say what came of it',
    asks: 'escalation.test',
    options: [new Option('--test', 'that it is a test').makeOptionMandatory()],
  },
];

type Escalation = ProcessDetail['escalations'][number];

export function escalationLines({ row, escalations, receivers }: ProcessDetail): readonly string[] {
  const told =
    receivers === null
      ? 'unknown: no host runs it'
      : receivers.map(({ target, to }) => `${target} ${to}`).join(', ') || 'nobody: the manifest names none';
  const lines = escalations.flatMap((cause) => [
    `${cause.at}  ${cause.overAt === null ? 'open' : `over ${cause.overAt}`}  ${cause.key}${cause.repeats === 0 ? '' : `, and ${cause.repeats} times more`} · ${cause.summary}`,
    ...cause.deliveries.map((delivery) => `  ${deliveryText(delivery)}`),
  ]);
  return [`told: ${told}`, ...(lines.length === 0 ? [`${row.name} has raised nothing.`] : lines)];
}

function deliveryText({
  target,
  to,
  status,
  attempts,
  dueAt,
  answer,
  reason,
}: Escalation['deliveries'][number]): string {
  const after = attempts === 0 ? '' : ` after ${counted(attempts, 'attempt')}`;
  const why = reason === '' ? '' : `: ${reason}`;
  switch (status) {
    case 'sent':
      return `${target} ${to}: told${after}${answer === null ? '' : `, answered ${answer}`}`;
    case 'failed':
      return `${target} ${to}: not told${after}, and not tried again${why}`;
    case 'dropped':
      return `${target} ${to}: not told, as it was over before that was due`;
    case 'pending':
      return `${target} ${to}: to be told${dueAt === null ? '' : ` at ${dueAt}`}${after}${why}`;
  }
}
