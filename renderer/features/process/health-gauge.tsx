import { lazy } from 'react';
import type { ProcessRow } from '../../../core/contract/views.ts';
import { counted, countText, noRunsText } from '../../ui/numbers.ts';
import { GaugeCard } from './gauge-card.tsx';

// The charts are the heaviest part of the console and nothing of the first paint.
const HealthBars = lazy(async () => ({ default: (await import('../../charts/gauges.tsx')).HealthBars }));

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
