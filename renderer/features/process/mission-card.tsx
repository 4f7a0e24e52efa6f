import { Button } from '@blueprintjs/core';
import { lazy, Suspense } from 'react';
import type { MissionView } from '../../../core/contract/mission-view.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { parseTimestamp } from '../../../core/model/time.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { Bounded } from '../../ui/bounded.tsx';
import type { Fact } from '../../ui/fact-list.tsx';
import {
  historyText,
  MISSION_STATUS,
  nextVerdictText,
  shareText,
  verdictText,
} from '../../ui/mission-text.ts';
import { counted, countText } from '../../ui/numbers.ts';
import { useTicking } from '../../ui/ticker.ts';
import { Ago, DayClock, Until } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { ORDER_LABELS } from '../actions/mission-orders.ts';
import { GaugeCard } from './gauge-card.tsx';

// The charts are the heaviest part of the console and nothing of the first paint.
const MissionLines = lazy(async () => ({
  default: (await import('../../charts/mission-history.tsx')).MissionLines,
}));

/** What it is after, how far the judge sees it, and for how long there has been no advance. */
export function MissionCard({ detail: { mission, row } }: { readonly detail: ProcessDetail }) {
  if (mission === null) return null;
  const { objective, status, history, unknown, terms } = mission;
  const last = history.at(-1);
  return (
    <GaugeCard title="Mission" rows={rowsOf(mission)}>
      <Bounded label="Objective" className="hf-said">
        {visibleBlock(objective)}
      </Bounded>
      <span>
        <strong className={status === 'failed' ? 'hf-alarm-text' : ''}>{MISSION_STATUS[status]}</strong>{' '}
        <span className="hf-muted">
          for <Ago at={mission.since} long />
        </span>
      </span>
      {history.length > 0 && (
        <>
          <div className="hf-mission-room" role="img" aria-label={historyText(mission)}>
            <Suspense fallback={<div className="hf-mission-room hf-skeleton" />}>
              <MissionLines
                points={history.map(({ confidence, progress }, at) => ({ at, confidence, progress }))}
                threshold={terms?.threshold ?? null}
              />
            </Suspense>
          </div>
          <Legend last={last!} threshold={terms?.threshold ?? null} />
        </>
      )}
      {last !== undefined && last.reasoning !== '' && (
        <Bounded label="Reasoning of the judge" className="hf-said hf-muted">
          {visibleLine(last.reasoning)}
        </Bounded>
      )}
      {status === 'active' && <Drift mission={mission} />}
      <span className="hf-muted">Next verdict: {nextVerdictText(mission)}</span>
      {terms?.endsAt != null && (
        <span className="hf-muted">
          Its time is over at <DayClock at={terms.endsAt} />, <Until at={terms.endsAt} />
        </span>
      )}
      {unknown !== null && (
        <Bounded label="No verdict" className="hf-said hf-attention-text">
          No verdict <Ago at={unknown.at} long suffix=" ago" />: {visibleLine(unknown.reason)}
        </Bounded>
      )}
      <Orders mission={mission} row={row} />
    </GaugeCard>
  );
}

interface LegendProps {
  readonly last: MissionView['history'][number];
  readonly threshold: number | null;
}

function Legend({ last, threshold }: LegendProps) {
  return (
    <ul className="hf-plain hf-mission-legend">
      <li>
        <span className="hf-mission-key hf-mission-key-confidence" /> Confidence {shareText(last.confidence)}
      </li>
      <li>
        <span className="hf-mission-key hf-mission-key-progress" /> Progress{' '}
        {last.progress === null ? 'unknown' : shareText(last.progress)}
      </li>
      {threshold !== null && (
        <li>
          <span className="hf-mission-key hf-mission-key-threshold" /> Counts from {shareText(threshold)}
        </li>
      )}
    </ul>
  );
}

/** In words: how long ago it last came closer. */
function Drift({ mission: { advancedAt, evaluations, terms } }: { readonly mission: MissionView }) {
  const driftsAt = terms?.driftsAt ?? null;
  const fromMs = driftsAt === null ? null : parseTimestamp(driftsAt);
  const isDrifting = useTicking(() => (fromMs !== null && Date.now() >= fromMs ? 'yes' : 'no')) === 'yes';
  const said = evaluations === 0 ? 'Started' : 'Last advance';
  return (
    <span className={isDrifting ? 'hf-attention-text' : 'hf-muted'}>
      {isDrifting ? `Drifting: ${said.toLowerCase()}` : said} <Ago at={advancedAt} long suffix=" ago" />
    </span>
  );
}

function Orders({ mission, row }: { readonly mission: MissionView; readonly row: ProcessRow }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  if (mission.orders.length === 0) return null;
  return (
    <div className="hf-buttons hf-card-buttons" role="group" aria-label="What to do about the mission">
      {mission.orders.map((order) => (
        <Button
          key={order}
          size="small"
          disabled={off}
          aria-label={`${ORDER_LABELS[order]} the mission…`}
          onClick={() => actions.ask({ kind: 'mission', row, order, mission })}
        >
          {ORDER_LABELS[order]}…
        </Button>
      ))}
    </div>
  );
}

function rowsOf(mission: MissionView): readonly Fact[] {
  const { objective, successCriteria, status, reason, startedAt, runs, evaluations, history } = mission;
  const { advancedAt, unknown, terms } = mission;
  const why = reason === '' ? '' : `: ${visibleLine(reason)}`;
  return [
    ['Objective', visibleLine(objective)],
    ...(successCriteria === '' ? [] : [['Achieved when', visibleLine(successCriteria)] satisfies Fact]),
    ['Is', `${MISSION_STATUS[status]}${why}`],
    ['Started', <DayClock key="started" at={startedAt} />],
    [
      'Runs',
      terms?.maxInvocations == null
        ? countText(runs)
        : `${countText(runs)} of ${countText(terms.maxInvocations)}`,
    ],
    ['Judged', terms === null ? 'unknown' : judgedText(terms)],
    ['Next verdict', nextVerdictText(mission)],
    ['Last advance', <DayClock key="advance" at={advancedAt} />],
    ...(unknown === null ? [] : [['No verdict', visibleLine(unknown.reason)] satisfies Fact]),
    ['Verdicts', countText(evaluations)],
    ...history.map((one, at): Fact => [
      `Verdict ${countText(evaluations - history.length + at + 1)}`,
      `after invocation ${countText(one.invocation)}: ${verdictText(one)}`,
    ]),
  ];
}

function judgedText({ evalEvery, evalModel }: NonNullable<MissionView['terms']>): string {
  return `${evalModel === null ? '' : `by ${visibleLine(evalModel)}, `}after every ${counted(evalEvery, 'run')}`;
}
