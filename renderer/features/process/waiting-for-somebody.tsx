import { Button } from '@blueprintjs/core';
import { Hand } from '@blueprintjs/icons';
import type { ProcessDetail, ProcessRow, WaitView } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import type { Settlement } from '../../stores/questions.ts';
import { targetOf } from '../../stores/target.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { openWaits } from '../../ui/work-look.ts';
import { SignalButton } from './signal-button.tsx';

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
    <section className="hf-callout hf-callout-waiting" aria-label="Waiting for somebody">
      <Hand className="hf-callout-icon" />
      <div className="hf-desk">
        <div className="hf-desk-head">
          <span>
            <strong>Waiting for somebody.</strong> {counted(promises.length, 'promise')} that nobody has
            settled yet.
          </span>
          <SignalButton detail={detail} />
        </div>
        <ul className="hf-plain">
          {promises.map(({ wait, invocation }) => (
            <Promised key={wait.waitId} row={detail.row} wait={wait} invocation={invocation} />
          ))}
        </ul>
      </div>
    </section>
  );
}

interface PromisedProps {
  readonly row: ProcessRow;
  readonly wait: WaitView;
  readonly invocation: number;
}

function Promised({ row, wait, invocation }: PromisedProps) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row)) || !row.live;
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
    <li className="hf-desk-item">
      <div className="hf-desk-what">
        <div>
          <code className="hf-mono hf-doubt-name">{name}</code>
          <span className="hf-muted">
            for <Ago at={wait.createdAt} long /> · invocation {countText(invocation)} ·{' '}
            {wait.dueAt === null ? (
              'never expires'
            ) : (
              <>
                expires <Until at={wait.dueAt} past="now" />
              </>
            )}
          </span>
        </div>
        {wait.dataText !== 'null' && (
          <code className="hf-mono hf-block hf-args">{visibleBlock(wait.dataText)}</code>
        )}
        <div className="hf-muted hf-with-copy">
          id <CutText text={wait.waitId} room={44} />
          <CopyButton text={wait.waitId} label={`Copy the id of ${name}`} />
        </div>
      </div>
      <div className="hf-buttons" role="group" aria-label={`Answers: ${name}`}>
        {button('Resolve…', 'resolved')}
        {button('Reject…', 'rejected')}
      </div>
    </li>
  );
}
