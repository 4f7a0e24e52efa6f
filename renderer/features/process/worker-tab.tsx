import { Button } from '@blueprintjs/core';
import type { ReactNode } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { ACTION_TABLE, buttonText } from '../../stores/action-table.ts';
import { targetOf } from '../../stores/target.ts';
import { FactList, type Fact } from '../../ui/fact-list.tsx';
import { counted, countText, sizeText } from '../../ui/numbers.ts';
import { Said } from '../../ui/said.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ActionIcon } from '../actions/action-icons.tsx';
import { WorkerOutput } from './worker-output.tsx';

/** The operating system's side of the process: its worker, how the ones before it ended, and what they wrote. */
export function WorkerTab({ detail }: { readonly detail: ProcessDetail }) {
  const { row } = detail;
  return (
    <div className="hf-sections">
      <CrashLoop detail={detail} />
      <section aria-label="Worker">
        <SectionHead title="Worker">
          {row.actions.includes('kill-worker') && <KillButton detail={detail} />}
        </SectionHead>
        <FactList className="hf-worker-facts" facts={factsOf(detail)} />
      </section>
      <WorkerOutput key={row.key} target={targetOf(row)} />
    </div>
  );
}

function KillButton({ detail: { row } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row));
  return (
    <Button
      size="small"
      icon={<ActionIcon action="kill-worker" size={14} />}
      intent="danger"
      variant="outlined"
      disabled={off}
      aria-label={`${ACTION_TABLE['kill-worker'].label} of ${visibleLine(row.name)}…`}
      onClick={() => actions.choose(row, 'kill-worker')}
    >
      {buttonText('kill-worker')}
    </Button>
  );
}

const muted = (text: string): ReactNode => <span className="hf-muted">{text}</span>;

/** What the system does not tell is unknown, and never 0 [P5]. */
function factsOf(detail: ProcessDetail): readonly Fact[] {
  const { row, workerDetail, workerDeaths, lastWorkerDeath } = detail;
  const deaths: readonly Fact[] = isDying(detail)
    ? []
    : [
        ['Deaths in a row', workerDeaths === 0 ? 'none' : countText(workerDeaths)],
        [
          'Last one ended',
          lastWorkerDeath === null ? muted('nothing recorded') : <Said text={lastWorkerDeath} />,
        ],
      ];
  const worker = workerDetail ?? row.worker;
  if (worker === null) {
    const none = row.live
      ? isDying(detail)
        ? 'none runs now'
        : 'none runs now; one starts when there is something to do'
      : 'unknown: this journal is only looked at';
    return [['Process id', muted(none)], ...deaths];
  }
  return [
    ['Process id', String(worker.pid)],
    ['Number', countText(worker.generation)],
    [
      'Started',
      workerDetail?.startedAt == null ? (
        muted('unknown')
      ) : (
        <Ago at={workerDetail.startedAt} long suffix=" ago" />
      ),
    ],
    ['Memory', workerDetail?.rssBytes == null ? muted('unknown') : sizeText(workerDetail.rssBytes)],
    ['CPU', workerDetail?.cpuPercent == null ? muted('unknown') : `${workerDetail.cpuPercent.toFixed(1)} %`],
    [
      'Heartbeat',
      workerDetail === null ? (
        muted('unknown')
      ) : workerDetail.isAnswering ? (
        'answers'
      ) : (
        <span className="hf-attention-text">does not answer</span>
      ),
    ],
    ...deaths,
  ];
}

/** A start is planned after an end that nobody wanted, or such ends come one after another. */
function isDying({ workerDeaths, respawnsAt, restartsAt }: ProcessDetail): boolean {
  return respawnsAt !== null || restartsAt !== null || workerDeaths > 1;
}

/** What keeps dying, how it ended last, and when it is tried again. */
function CrashLoop({ detail }: { readonly detail: ProcessDetail }) {
  const { row, workerDeaths, lastWorkerDeath, respawnsAt, restartsAt } = detail;
  if (!isDying(detail)) return null;
  const next = restartsAt ?? respawnsAt;
  return (
    <section className="hf-callout hf-callout-attention" aria-label="Crash loop">
      <span className="hf-callout-icon">
        <ActionIcon action="restart" />
      </span>
      <div>
        <strong>{headOf(workerDeaths, restartsAt)}</strong>
        {lastWorkerDeath !== null && <Said text={lastWorkerDeath} />}
        <div className="hf-muted">
          {row.restarts > 0 && `${counted(row.restarts, 'restart')} of the process so far · `}
          {next === null ? (
            'No further start is planned.'
          ) : (
            <>
              {restartsAt === null ? 'the next worker starts' : 'the process restarts'} <Until at={next} />
            </>
          )}
        </div>
      </div>
    </section>
  );
}

function headOf(deaths: number, restartsAt: string | null): string {
  if (restartsAt !== null) return 'It failed, and is restarted.';
  if (deaths <= 1) return 'Its worker died.';
  return `${countText(deaths)} workers died in a row, without progress.`;
}
