import { Button } from '@blueprintjs/core';
import { Error as ErrorIcon, Pause } from '@blueprintjs/icons';
import type { ReactNode } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { PauseView, TriggerView } from '../../../core/contract/trigger-views.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { FactList, type Fact } from '../../ui/fact-list.tsx';
import { FailureCode } from '../../ui/failure-text.tsx';
import { countText, cutMiddle } from '../../ui/numbers.ts';
import { Said } from '../../ui/said.tsx';
import { lookOf } from '../../ui/state-look.ts';
import { Ago, DayClock, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { DeskItem } from '../process/desk.tsx';
import { KindIcon, kindWord } from './trigger-look.tsx';

/** Of a description: more is on hover. */
const MOST_SHOWN = 160;

interface Props {
  readonly row: ProcessRow;
  readonly trigger: TriggerView;
  /** That of all of them, where there is one. */
  readonly allPaused: PauseView | null;
}

/** What a trigger listens to, what came of it, what is wrong with it, and what may be done about that. */
export function TriggerItem({ row, trigger, allPaused }: Props) {
  const { id, type, description, isAdded, problem } = trigger;
  const ownPause = isSamePause(trigger.paused, allPaused) ? null : trigger.paused;
  const what = visibleLine(description);
  const isActing = row.live && type !== 'manual';
  return (
    <DeskItem
      title={
        <span className="hf-trigger-kind">
          <KindIcon type={type} /> {kindWord(type)}
        </span>
      }
      about={
        <>
          <span className="hf-trigger-what" title={what} data-copy={description}>
            {cutMiddle(what, MOST_SHOWN)}
          </span>
          {isAdded && <span className="hf-flag">added beside the manifest</span>}
          {trigger.paused !== null && <span className="hf-flag hf-flag-attention">paused</span>}
          {problem !== null && <span className="hf-flag hf-flag-alarm">problem</span>}
        </>
      }
      {...(isActing
        ? {
            answersLabel: `Actions: ${visibleLine(id)}`,
            answers: <TriggerButtons row={row} trigger={trigger} ownPause={ownPause} allPaused={allPaused} />,
          }
        : {})}
    >
      {ownPause !== null && <PausedLine pause={ownPause} />}
      {problem !== null && (
        <div className="hf-trigger-problem">
          <ErrorIcon size={14} />
          <div>
            <strong>It does not work, or not fully</strong> <Ago at={problem.at} long suffix=" ago" />
            <Said text={problem.message} />
            <FailureCode code={problem.code} message={problem.message} />
          </div>
        </div>
      )}
      <FactList className="hf-trigger-facts" facts={factsOf(row, trigger)} />
    </DeskItem>
  );
}

function isSamePause(a: PauseView | null, b: PauseView | null): boolean {
  return a !== null && b !== null && a.at === b.at && a.actor === b.actor && a.reason === b.reason;
}

/** By whom, why and since when. */
export function PausedLine({
  pause,
  children,
}: {
  readonly pause: PauseView;
  readonly children?: ReactNode;
}) {
  return (
    <div className="hf-trigger-paused">
      <Pause size={14} />
      <div>
        <strong>{children ?? 'Paused'}</strong> by {visibleLine(pause.actor) || 'nobody named'} ·{' '}
        {visibleLine(pause.reason) || 'no reason given'} ·{' '}
        <span className="hf-muted">
          since <Ago at={pause.at} long suffix=" ago" />
        </span>
      </div>
    </div>
  );
}

function factsOf(row: ProcessRow, trigger: TriggerView): readonly Fact[] {
  const { id, type, next, address, filter } = trigger;
  const facts: Fact[] = [];
  if (type === 'cron')
    facts.push(['Next', next === null ? <WhyNot row={row} trigger={trigger} /> : <Next at={next} />]);
  if (type === 'webhook') {
    facts.push([
      'Post to',
      address === null ? <WhyNot row={row} trigger={trigger} /> : <Address text={address} />,
    ]);
  }
  if (type === 'file_watch') {
    const watched = address === null ? <WhyNot row={row} trigger={trigger} /> : visibleLine(address);
    facts.push(['Watches', watched]);
  }
  facts.push(['Calls', <Calls key="calls" trigger={trigger} />]);
  if (type === 'manual') return facts;
  facts.push(
    [
      'Filter',
      filter === null ? (
        <span className="hf-muted">none: every call is taken</span>
      ) : (
        <code className="hf-mono">{visibleLine(filter)}</code>
      ),
    ],
    ['Known as', <CutText key="id" text={id} room={44} />],
  );
  return facts;
}

/** What came of it so far, and when the last of it came. */
function Calls({ trigger }: { readonly trigger: TriggerView }) {
  const { type, accepted, filtered, missed, lastEventAt } = trigger;
  return (
    <>
      {countText(accepted)} accepted
      {type !== 'manual' && <> · {countText(filtered)} filtered</>}
      {(type === 'cron' || missed > 0) && (
        <>
          {' · '}
          <span className={missed > 0 ? 'hf-attention-text' : ''}>{countText(missed)} missed</span>
        </>
      )}
      <span className="hf-muted">
        {' · '}
        {lastEventAt === null ? (
          'no event on record'
        ) : (
          <>
            last event <Ago at={lastEventAt} suffix=" ago" />
          </>
        )}
      </span>
    </>
  );
}

/** How long until then, and when that is. */
function Next({ at }: { readonly at: string }) {
  return (
    <>
      <Until at={at} />{' '}
      <span className="hf-muted">
        · <DayClock at={at} />
      </span>
    </>
  );
}

function Address({ text }: { readonly text: string }) {
  return (
    <span className="hf-with-copy">
      <code className="hf-mono">{visibleLine(text)}</code>
      <CopyButton text={text} label={`Copy the address ${visibleLine(text)}`} />
    </span>
  );
}

/** Why there is no next time, and no address: it is closed, and not known to be otherwise. */
function WhyNot({ row, trigger: { paused, problem, type } }: Pick<Props, 'row' | 'trigger'>) {
  const isOpen = row.state === 'running' || row.state === 'awaiting' || row.state === 'suspended';
  const none = type === 'cron' ? 'not planned' : 'not open';
  const why =
    paused !== null
      ? `${none}: it is paused`
      : problem !== null
        ? `${none}: see above`
        : isOpen
          ? none
          : `${none}: the process is ${lookOf(row.state).word.toLowerCase()}`;
  return <span className="hf-muted">{why}</span>;
}

interface ButtonProps extends Props {
  readonly ownPause: PauseView | null;
}

function TriggerButtons({ row, trigger, ownPause, allPaused }: ButtonProps) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const id = visibleLine(trigger.id);
  const button = (label: string, press: () => void) => (
    <Button size="small" disabled={off} aria-label={`${label}: ${id}`} onClick={press}>
      {label}
    </Button>
  );
  return (
    <>
      {button('Test-fire…', () => actions.ask({ kind: 'fire-trigger', row, trigger }))}
      {ownPause !== null
        ? button('Resume', () => actions.resumeTriggers(row, trigger.id))
        : allPaused === null && button('Pause…', () => actions.ask({ kind: 'pause-triggers', row, trigger }))}
      {button('Remove…', () => actions.ask({ kind: 'remove-trigger', row, trigger }))}
    </>
  );
}
