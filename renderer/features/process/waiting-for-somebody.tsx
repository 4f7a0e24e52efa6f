import { Button } from '@blueprintjs/core';
import { Hand } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { WaitView } from '../../../core/contract/work-views.ts';
import { APPROVAL_PREFIX, QUESTION_NAME } from '../../../core/model/approval.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { hashOf, WAITING } from '../../stores/place.ts';
import type { Settlement } from '../../stores/questions.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Written } from '../../ui/said.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { openWaits } from '../../ui/work-look.ts';
import { Desk, DeskItem } from './desk.tsx';
import { InvocationButtons } from './invocation-buttons.tsx';

export interface PromiseOf {
  readonly wait: WaitView;
  readonly invocation: number;
}

/** Open durable promises: only somebody outside can settle them. */
export function promisesOf({ open }: ProcessDetail): readonly PromiseOf[] {
  return open.flatMap((invocation) =>
    openWaits(invocation, 'promise').map((wait) => ({ wait, invocation: invocation.invocation })),
  );
}

interface Props {
  readonly detail: ProcessDetail;
  readonly promises: readonly PromiseOf[];
}

/** What the process waits for and an operator may answer. */
export function WaitingForSomebody({ detail, promises }: Props) {
  return (
    <Desk
      label="Waiting for somebody"
      tone="waiting"
      icon={<Hand />}
      aside={<InvocationButtons detail={detail} />}
      items={promises.map(({ wait, invocation }) => (
        <Promised key={wait.waitId} row={detail.row} wait={wait} invocation={invocation} />
      ))}
    >
      <strong>Waiting for somebody.</strong> {counted(detail.counts.promises, 'promise')} that nobody has
      settled yet.
      <ShownOf shown={promises.length} of={detail.counts.promises} what="promises" />
    </Desk>
  );
}

/** What an agent asks by its tools, with more to look at than there is room for here. */
function isAsk({ name }: WaitView): boolean {
  return name.startsWith(APPROVAL_PREFIX) || name === QUESTION_NAME;
}

/** Of this one among all that waits, so that it is what is looked at there. */
function keyOfAsk({ key }: ProcessRow, { name, waitId }: WaitView): string {
  return `${key}/${name === QUESTION_NAME ? 'question' : 'approval'}/${waitId}`;
}

interface PromisedProps {
  readonly row: ProcessRow;
  readonly wait: WaitView;
  readonly invocation: number;
}

function Promised({ row, wait, invocation }: PromisedProps) {
  const { actions, waiting } = useConsole();
  const off = useAnswersOff(row);
  const name = visibleLine(wait.name);
  const button = (label: string, settlement: Settlement['kind']) => (
    <Button
      size="small"
      disabled={off}
      aria-label={`${label}: ${name}`}
      onClick={() => actions.ask({ kind: 'promise', settlement, row, wait })}
    >
      {label}
    </Button>
  );
  return (
    <DeskItem
      title={<code className="hf-mono">{name}</code>}
      about={
        <>
          for <Ago at={wait.createdAt} long /> · invocation {countText(invocation)} ·{' '}
          {wait.dueAt === null ? (
            'never expires'
          ) : (
            <>
              expires <Until at={wait.dueAt} />
            </>
          )}
        </>
      }
      answersLabel={`Answers: ${name}`}
      answers={
        isAsk(wait) ? (
          <a href={hashOf(WAITING)} onClick={() => waiting.select(keyOfAsk(row, wait))}>
            Decide it under Waiting for me
          </a>
        ) : (
          <>
            {button('Resolve…', 'resolved')}
            {button('Reject…', 'rejected')}
          </>
        )
      }
    >
      {wait.dataText !== 'null' && !isAsk(wait) && <Written text={wait.dataText} />}
      <div className="hf-muted hf-with-copy">
        id <CutText text={wait.waitId} room={44} />
        <CopyButton text={wait.waitId} label={`Copy the id of ${name}`} />
      </div>
    </DeskItem>
  );
}
