import { Button } from '@blueprintjs/core';
import { useEffect, useState, type ReactNode } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { WaitView } from '../../../core/contract/work-views.ts';
import type { WaitingDetail, WaitingItem } from '../../../core/contract/waiting-view.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { hashOf, processPlace } from '../../stores/place.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { sizeText } from '../../ui/numbers.ts';
import { Said, Written } from '../../ui/said.tsx';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { DiffText } from './diff-text.tsx';
import { classText, KIND_WORDS, OF_WORDS, thenText } from './waiting-text.ts';

interface Props {
  readonly item: WaitingItem;
  /** Undefined where its process is not in the fleet (any more). */
  readonly row: ProcessRow | undefined;
}

/** One thing that waits: all that a decision needs, and the decision. */
export function WaitingPanel({ item, row }: Props) {
  const read = useDetail(item);
  const title = item.kind === 'question' ? 'Question' : visibleLine(item.title);
  return (
    <section className="hf-waiting-panel" aria-label={`${KIND_WORDS[item.kind]}: ${title}`}>
      <header>
        <h2>{item.kind === 'question' ? title : <code className="hf-mono">{title}</code>}</h2>
        <p className="hf-muted">
          {OF_WORDS[item.kind]} <a href={hashOf(processPlace(item))}>{visibleLine(item.process)}</a>, waiting
          for <Ago at={item.since} long />
          {item.expiresAt !== null && (
            <>
              {' '}
              · expires <Until at={item.expiresAt} />, {thenText(item)}
            </>
          )}
        </p>
      </header>
      {read === null ? (
        <Skeleton lines={6} label="Reading what is asked" />
      ) : read.ok ? (
        <Shown detail={read.value} row={row} />
      ) : (
        <p className="hf-block" role="status">
          {visibleBlock(read.error.message)}
        </p>
      )}
    </section>
  );
}

/** Null while it is being read. What is asked does not change, so it is read once. */
function useDetail({ key, journalId, process, kind, id }: WaitingItem): Result<WaitingDetail> | null {
  const { client } = useConsole();
  const [read, setRead] = useState<{ readonly key: string; readonly result: Result<WaitingDetail> } | null>(
    null,
  );
  useEffect(() => {
    let isOver = false;
    void client.request('waiting.show', { journalId, process, kind, id }).then((result) => {
      if (!isOver) setRead({ key, result });
    });
    return () => {
      isOver = true;
    };
  }, [client, key, journalId, process, kind, id]);
  return read?.key === key ? read.result : null;
}

interface ShownProps {
  readonly detail: WaitingDetail;
  readonly row: ProcessRow | undefined;
}

function Shown({ detail, row }: ShownProps) {
  const { item } = detail;
  return (
    <>
      {row === undefined || !item.live ? (
        <p className="hf-muted">
          This journal is only looked at from here. Decide in the console that runs it.
        </p>
      ) : (
        <Answers detail={detail} row={row} />
      )}
      {detail.problem !== '' && (
        <div className="hf-callout hf-callout-attention">
          <div>
            <strong>Asked again.</strong>
            <Said text={detail.problem} />
          </div>
        </div>
      )}
      <What detail={detail} />
      <div className="hf-muted hf-with-copy">
        id <CutText text={item.id} room={44} />
        <CopyButton text={item.id} label="Copy its id" />
      </div>
    </>
  );
}

function What({ detail }: { readonly detail: WaitingDetail }) {
  const { item, why, diffs, argsText } = detail;
  switch (item.kind) {
    case 'approval':
      return (
        <>
          <Part title="Why, says the model">
            {why === '' ? <p className="hf-muted">It gave no reason.</p> : <Said text={why} />}
          </Part>
          {diffs.length > 0 && (
            <Part title="What would change">
              {diffs.map((diff, at) => (
                <DiffText key={at} diff={diff} />
              ))}
            </Part>
          )}
          <Part title="Arguments">
            <Arguments detail={detail} />
          </Part>
          <Part title="If you approve">
            <p>
              The tool <code className="hf-mono">{visibleLine(item.title)}</code> of{' '}
              {visibleLine(detail.source) || 'an unknown source'} is called with these arguments, once.{' '}
              {classText(item.effectClass)}
            </p>
          </Part>
        </>
      );
    case 'question':
      return (
        <>
          <div className="hf-waiting-question">
            <Said text={why} />
          </div>
          {detail.options.length > 0 && (
            <Part title="It suggests">
              <ul className="hf-waiting-options">
                {detail.options.map((option, at) => (
                  <li key={at}>{visibleLine(option)}</li>
                ))}
              </ul>
            </Part>
          )}
        </>
      );
    case 'doubt':
      return (
        <>
          <Part title="What is known">
            <Said text={item.text} />
          </Part>
          {argsText !== null && (
            <Part title="Arguments">
              <Written text={argsText} />
            </Part>
          )}
          <p className="hf-muted">{classText(item.effectClass)}</p>
        </>
      );
    case 'budget':
      return (
        <Part title="What does not fit">
          <p>{visibleLine(item.text)}</p>
        </Part>
      );
    case 'promise':
      return argsText === null ? null : (
        <Part title="It gives you this to go by">
          <Written text={argsText} />
        </Part>
      );
  }
}

function Arguments({ detail: { argsText, isWhole, argsBytes } }: { readonly detail: WaitingDetail }) {
  return (
    <>
      {argsText !== null && <Written text={argsText} />}
      {!isWhole && (
        <p className="hf-muted hf-note">
          This is the beginning of {sizeText(argsBytes)}. They can be approved or rejected as they are, and
          not edited here.
        </p>
      )}
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="hf-waiting-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface AnswersProps {
  readonly detail: WaitingDetail;
  readonly row: ProcessRow;
}

/** What may be decided, each a button. Doubts are decided where everything about them stands. */
function Answers({ detail, row }: AnswersProps) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { item } = detail;
  const asks = (decision: 'edit' | 'reject' | 'answer'): void =>
    actions.ask({ kind: 'decide', decision, row, detail });
  const group = (children: ReactNode) => (
    <div className="hf-buttons" role="group" aria-label="Decide">
      {children}
    </div>
  );
  switch (item.kind) {
    case 'approval':
      return group(
        <>
          <Button
            intent="primary"
            disabled={off}
            onClick={({ detail: presses }) => {
              // The second press of a double click is for nobody: another call may stand here by then.
              if (presses <= 1) void actions.approve(row, item);
            }}
          >
            Approve
          </Button>
          <Button
            disabled={off || !detail.isWhole}
            {...(detail.isWhole ? {} : { title: 'Too large to be edited here' })}
            onClick={() => asks('edit')}
          >
            Edit and approve…
          </Button>
          <Button disabled={off} onClick={() => asks('reject')}>
            Reject…
          </Button>
        </>,
      );
    case 'question':
      return group(
        <>
          <Button intent="primary" disabled={off} onClick={() => asks('answer')}>
            Answer…
          </Button>
          <Button disabled={off} onClick={() => asks('reject')}>
            Decline…
          </Button>
        </>,
      );
    case 'budget': {
      const limit = row.budget.limits.find((one) => one.limit === item.id)?.limit ?? null;
      return group(
        <Button intent="primary" disabled={off} onClick={() => actions.ask({ kind: 'extend', row, limit })}>
          Extend its budget…
        </Button>,
      );
    }
    case 'promise': {
      const wait = waitOf(detail);
      return group(
        <>
          <Button
            intent="primary"
            disabled={off}
            onClick={() => actions.ask({ kind: 'promise', settlement: 'resolved', row, wait })}
          >
            Resolve…
          </Button>
          <Button
            disabled={off}
            onClick={() => actions.ask({ kind: 'promise', settlement: 'rejected', row, wait })}
          >
            Reject…
          </Button>
        </>,
      );
    }
    case 'doubt':
      return (
        <p>
          <a href={hashOf(processPlace(item))}>Decide it on the page of {visibleLine(item.process)}</a>
        </p>
      );
  }
}

function waitOf({ item, argsText }: WaitingDetail): WaitView {
  return {
    waitId: item.id,
    kind: 'promise',
    name: item.title,
    createdAt: item.since,
    dueAt: item.expiresAt,
    dataText: argsText ?? 'null',
    status: 'open',
  };
}
