import { Button } from '@blueprintjs/core';
import { Th } from '@blueprintjs/icons';
import { lazy, Suspense, useId, useState, type ReactNode } from 'react';
import type { ProcessRow } from '../../../core/contract/views.ts';
import { dayWords } from '../../ui/moments.ts';
import { costText, counted, countText, noRunsText } from '../../ui/numbers.ts';
import { useTicking } from '../../ui/ticker.ts';

// The charts are the heaviest part of the console and nothing of the first paint.
const BudgetRing = lazy(async () => ({ default: (await import('../../charts/gauges.tsx')).BudgetRing }));
const HealthBars = lazy(async () => ({ default: (await import('../../charts/gauges.tsx')).HealthBars }));

interface CardProps {
  readonly title: string;
  readonly chart: ReactNode;
  readonly rows: readonly (readonly [string, string])[];
  readonly children: ReactNode;
}

/** A gauge, and the table that says the same. */
function GaugeCard({ title, chart, rows, children }: CardProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <section className="hf-card hf-gauge" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <Button
          variant="minimal"
          size="small"
          icon={<Th size={12} />}
          active={asTable}
          aria-pressed={asTable}
          aria-label={`${title} as a table`}
          title="As a table"
          onClick={() => setAsTable(!asTable)}
        />
      </header>
      {asTable ? (
        <table className="hf-twin">
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <div className="hf-gauge-body">
          <Suspense fallback={<div className="hf-gauge-room hf-skeleton" />}>{chart}</Suspense>
          <div className="hf-gauge-words">{children}</div>
        </div>
      )}
    </section>
  );
}

/** Runs of the day against their limit. Cost is unknown until it is metered, and says so [P5]. */
export function BudgetGauge({ budget }: { readonly budget: ProcessRow['budget'] }) {
  const { runs, maxRunsPerDay: most, cost, day } = budget;
  const when = useTicking(() => dayWords(day, Date.now()));
  const costs = cost === null ? 'unknown until it is metered' : costText(cost);
  return (
    <GaugeCard
      title="Budget"
      rows={[
        ['Day (UTC)', day || 'unknown'],
        ['Runs', runs === null ? 'unknown' : countText(runs)],
        ['Limit', most === null ? 'none set' : `${countText(most)} a day`],
        [
          'Left',
          most === null ? 'no limit' : runs === null ? 'unknown' : countText(Math.max(0, most - runs)),
        ],
        ['Cost', costs],
      ]}
      chart={
        most === null || runs === null ? null : (
          <div
            className="hf-gauge-room"
            role="meter"
            aria-label={`Runs ${when}`}
            aria-valuemin={0}
            aria-valuemax={Math.max(most, 1)}
            aria-valuenow={Math.min(runs, most)}
            aria-valuetext={`${runs} of ${most} runs ${when}`}
          >
            <BudgetRing runs={runs} most={most} />
            <span className="hf-ring-number" aria-hidden="true">
              {countText(runs)}
            </span>
          </div>
        )
      }
    >
      {runs === null ? (
        <span>Runs {when} unknown: the journal says nothing of them</span>
      ) : most === null ? (
        <>
          <strong className="hf-figure">{countText(runs)}</strong>
          <span>
            {runs === 1 ? 'run' : 'runs'} {when}, no limit set
          </span>
        </>
      ) : (
        <span>
          {countText(runs)} of {counted(most, 'run')} {when}
          {runs >= most ? ': the limit is reached' : ''}
        </span>
      )}
      <span className="hf-muted">Cost {costs}</span>
    </GaugeCard>
  );
}

const VERDICTS: Readonly<Record<ProcessRow['health']['verdict'], string>> = {
  unknown: 'Nothing to judge by yet',
  ok: 'No alarm',
  failing: 'Failing',
};

/** Failures of the last ten runs. Whether that is alarming is the host's judgement, not the console's. */
export function HealthGauge({ row: { health, budget } }: { readonly row: ProcessRow }) {
  const { sample, failures, runs, verdict } = health;
  return (
    <GaugeCard
      title="Health"
      rows={[
        ['Runs looked at', countText(sample)],
        ['Failed', countText(failures)],
        ['Oldest to newest', runs.map((ok) => (ok ? 'ok' : 'failed')).join(', ') || 'none'],
        ['Verdict', VERDICTS[verdict]],
      ]}
      chart={
        sample === 0 ? null : (
          <div
            className="hf-gauge-room"
            role="meter"
            aria-label="Failures of the last runs"
            aria-valuemin={0}
            aria-valuemax={sample}
            aria-valuenow={failures}
            aria-valuetext={`${failures} of the last ${sample} runs failed`}
          >
            <HealthBars runs={runs} />
          </div>
        )
      }
    >
      <span>
        {sample === 0
          ? `Runs: ${noRunsText(budget.runs)}`
          : `${failures} of the last ${counted(sample, 'run')} failed`}
      </span>
      <span className={verdict === 'failing' ? 'hf-alarm-text' : 'hf-muted'}>{VERDICTS[verdict]}</span>
    </GaugeCard>
  );
}
