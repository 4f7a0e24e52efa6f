import { Button } from '@blueprintjs/core';
import type { DetectorView } from '../../../core/contract/health-views.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { anomalyName } from '../../ui/anomaly-text.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import { counted, countText, noRunsText } from '../../ui/numbers.ts';
import { RunBars } from '../../ui/run-bars.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { GaugeCard } from './gauge-card.tsx';

const VERDICTS: Readonly<Record<ProcessRow['health']['verdict'], string>> = {
  unknown: 'Unknown: too few runs to judge by',
  ok: 'No alarm',
  failing: 'Failing',
  unwell: 'Not as it should be',
};

/** Failures of the last ten runs, and each detector. Whether something is alarming is the host's judgement alone. */
export function HealthGauge({ detail: { row, detectors } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { health, budget, live } = row;
  const { sample, failures, runs, verdict, anomalies } = health;
  const isAlarming = verdict === 'failing' || verdict === 'unwell';
  return (
    <GaugeCard
      title="Health"
      rows={[
        ['Runs looked at', countText(sample)],
        ['Failed', countText(failures)],
        ['Oldest to newest', runs.map((ok) => (ok ? 'ok' : 'failed')).join(', ') || 'none'],
        ['Verdict', VERDICTS[verdict]],
        ...detectors.map(factOf),
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
            <RunBars runs={runs} />
          </div>
        )
      }
      below={<Detectors detectors={detectors} live={live} />}
    >
      <span>
        {sample === 0
          ? `Runs: ${noRunsText(budget.runs)}`
          : `${failures} of the last ${counted(sample, 'run')} failed`}
      </span>
      <span className={isAlarming ? 'hf-alarm-text' : 'hf-muted'}>{VERDICTS[verdict]}</span>
      {anomalies.length > 0 && live && (
        <Button
          size="small"
          className="hf-gauge-button"
          disabled={off}
          onClick={() => actions.ask({ kind: 'clear-health', row })}
        >
          Clear…
        </Button>
      )}
    </GaugeCard>
  );
}

interface DetectorsProps {
  readonly detectors: readonly DetectorView[];
  readonly live: boolean;
}

function Detectors({ detectors, live }: DetectorsProps) {
  const shown = detectors.filter(({ state, last }) => state !== 'off' && (live || last !== null));
  if (!live && shown.length === 0) {
    return <p className="hf-muted">What its detectors look at is unknown: no host runs it here.</p>;
  }
  if (shown.length === 0) return <p className="hf-muted">Its behaviour is not watched.</p>;
  return (
    <ul className="hf-plain hf-detectors" aria-label="Detectors">
      {shown.map((detector) => (
        <li key={detector.type} className="hf-detector">
          <span className="hf-detector-words">
            <span title={detector.threshold === '' ? undefined : `Found at: ${detector.threshold}`}>
              {anomalyName(detector.type)}
            </span>
            <Verdict detector={detector} />
          </span>
          <Seen detector={detector} />
        </li>
      ))}
    </ul>
  );
}

function Verdict({ detector: { state, sample, needed, last } }: { readonly detector: DetectorView }) {
  switch (state) {
    case 'found':
      return (
        <span className="hf-alarm-text">
          found{' '}
          {last !== null && (
            <>
              · <Ago at={last.at} suffix=" ago" />
            </>
          )}
        </span>
      );
    case 'ok':
      return <span>ok</span>;
    case 'off':
      return <span className="hf-muted">off</span>;
    case 'unknown':
      return (
        <span className="hf-muted">
          unknown{sample === null || needed === null ? '' : `: ${countText(sample)} of ${countText(needed)}`}
        </span>
      );
  }
}

/** What it found where that is there; else what it sees now, and when it last found something. */
function Seen({ detector: { state, reading, last, coolsUntil } }: { readonly detector: DetectorView }) {
  if (state === 'found' && last !== null) {
    return <span className="hf-second">{visibleLine(last.description)}</span>;
  }
  return (
    <span className="hf-second">
      {visibleLine(reading)}
      {last !== null && (
        <>
          {reading === '' ? '' : ' · '}last found <Ago at={last.at} suffix=" ago" />
        </>
      )}
      {coolsUntil !== null && (
        <>
          {' '}
          · not again before <Until at={coolsUntil} />
        </>
      )}
    </span>
  );
}

function factOf(detector: DetectorView): Fact {
  const all = <Row detector={detector} />;
  return [anomalyName(detector.type), all];
}

/** All that is known of one, for the table. */
function Row({ detector }: { readonly detector: DetectorView }) {
  const { threshold, action } = detector;
  return (
    <>
      <Verdict detector={detector} />
      <br />
      <Seen detector={detector} />
      {threshold !== '' && (
        <span className="hf-second">
          Found at: {visibleLine(threshold)}
          {action !== null && `; then: ${action}`}
        </span>
      )}
    </>
  );
}
