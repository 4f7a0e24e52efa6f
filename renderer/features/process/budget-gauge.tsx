import { Button } from '@blueprintjs/core';
import { lazy, Suspense } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { moneyText } from '../../../core/model/money-text.ts';
import { shareOf } from '../../../core/model/limit-gauge.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import { atLeast, limitAmount, limitName, overshootText } from '../../ui/limit-text.ts';
import { dayWords } from '../../ui/moments.ts';
import { amountText, costText, counted, countText } from '../../ui/numbers.ts';
import { useTicking } from '../../ui/ticker.ts';
import { DayClock, Until } from '../../ui/time-text.tsx';
import { chartedOf, chartWords, paceText, stepFacts, stepsOf } from './budget-pace.ts';
import { CopyCosts } from './copy-costs.tsx';
import { GaugeCard } from './gauge-card.tsx';

// The charts are the heaviest part of the console and nothing of the first paint.
const SpendingChart = lazy(async () => ({
  default: (await import('../../charts/spending-chart.tsx')).SpendingChart,
}));

type Budget = ProcessRow['budget'];
type Limit = Budget['limits'][number];

/** Each limit, and how much of it is used. What nobody counted or knows is called unknown [P5]. */
export function BudgetGauge({ detail }: { readonly detail: ProcessDetail }) {
  const { row, spending } = detail;
  const { budget, live } = row;
  const { limits, day, runs, cost, models, currency } = budget;
  const nowMs = useNowByMinutes();
  const meter = chartedOf(spending);
  const steps = stepsOf(spending, meter, nowMs);
  const isSpent = steps.some(({ value }) => value > 0);
  const when = useTicking(() => dayWords(day, Date.now()));
  const costs = cost === null ? 'unknown until it is metered' : costText(cost);
  return (
    <GaugeCard
      title="Budget"
      rows={[...rowsOf(row, spending, nowMs), ...stepFacts(isSpent ? steps : [], meter, currency)]}
    >
      {limits.length > 0 && (
        <ul className="hf-plain hf-limits">
          {limits.map((limit) => (
            <LimitMeter key={limit.limit} limit={limit} budget={budget} spending={spending} nowMs={nowMs} />
          ))}
        </ul>
      )}
      {isSpent && (
        <div className="hf-spending">
          <div className="hf-second">{chartWords(steps, meter, currency)}</div>
          <div className="hf-spending-room" aria-hidden="true">
            <Suspense fallback={<div className="hf-spending-room hf-skeleton" />}>
              <SpendingChart steps={steps} />
            </Suspense>
          </div>
        </div>
      )}
      {runs === null ? (
        <span>Runs {when} unknown: the journal says nothing of them</span>
      ) : limits.length > 0 ? (
        <span>
          {counted(runs, 'run')} {when}
        </span>
      ) : (
        <>
          <strong className="hf-figure">{countText(runs)}</strong>
          <span>
            {runs === 1 ? 'run' : 'runs'} {when}, {live ? 'no limit set' : 'limits unknown'}
          </span>
        </>
      )}
      <span className="hf-muted">Cost {costs}</span>
      {models !== null && (
        <span className="hf-muted">
          {counted(models.turns, 'model call')}, {amountText(models.tokens)} tokens,{' '}
          {moneyText({ ...models, currency })}
        </span>
      )}
      <span className="hf-muted">
        <DayEnd budget={budget} />
      </span>
      <BudgetButtons detail={detail} />
      {isSpent && <CopyCosts row={row} />}
    </GaugeCard>
  );
}

/** More of a limit once, or other limits from now on. */
function BudgetButtons({ detail: { row, settings } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { budget, live } = row;
  if (!live) return null;
  return (
    <div className="hf-buttons hf-card-buttons">
      {budget.limits.length > 0 && (
        <Button
          size="small"
          disabled={off}
          onClick={() => actions.ask({ kind: 'extend', row, limit: budget.exceeded?.limit ?? null })}
        >
          Extend a limit…
        </Button>
      )}
      <Button
        size="small"
        disabled={off}
        onClick={() => actions.ask({ kind: 'limits', row, limits: settings.limits })}
      >
        Limits…
      </Button>
    </div>
  );
}

interface MeterProps {
  readonly limit: Limit;
  readonly budget: Budget;
  readonly spending: ProcessDetail['spending'];
  readonly nowMs: number;
}

function LimitMeter({ limit, budget, spending, nowMs }: MeterProps) {
  const { words, spent, reserved, max } = limit;
  const { currency } = budget;
  const show = (value: number): string => limitAmount(limit.limit, value, currency);
  const pace = paceText(limit, { spending, budget, nowMs });
  const overshoot = overshootText(limit, currency);
  const share = shareOf(limit);
  const spentShare = share === 0 ? 0 : (Math.min(share, 1) * spent) / (spent + reserved);
  const percent = (part: number): string => `${part * 100}%`;
  return (
    <li className="hf-limit">
      <div className="hf-limit-words">
        <span>{limitName(words)}</span>
        <span className={share >= 1 ? 'hf-attention-text' : ''}>
          {atLeast(limit)}
          {show(spent + reserved)} of {show(max)}
        </span>
      </div>
      <div
        className="hf-bar hf-bar-wide"
        role="meter"
        aria-label={limitName(words)}
        aria-valuemin={0}
        aria-valuemax={max || 1}
        aria-valuenow={max === 0 ? share : Math.min(spent + reserved, max)}
        aria-valuetext={`${usedText(limit, currency)}${share >= 1 ? ': the limit is reached' : ''}`}
      >
        <span className={share >= 1 ? 'hf-bar-full' : ''} style={{ inlineSize: percent(spentShare) }} />
        <span className="hf-bar-reserved" style={{ inlineSize: percent(Math.min(share, 1) - spentShare) }} />
      </div>
      {pace !== '' && <div className="hf-second">{pace}</div>}
      {overshoot !== '' && <div className="hf-second">{overshoot}</div>}
      {reserved > 0 && <div className="hf-second">{show(reserved)} of it reserved: under way, not ended</div>}
      {limit.unpriced > 0 && (
        <div className="hf-second">{counted(limit.unpriced, 'call')} unpriced: it is at least that</div>
      )}
    </li>
  );
}

function DayEnd({ budget: { until } }: { readonly budget: Budget }) {
  if (until === null) return <>When its day ends is unknown</>;
  return (
    <>
      Its day ends at <DayClock at={until} />, <Until at={until} />
    </>
  );
}

function usedText(limit: Limit, currency: string | null): string {
  const show = (value: number): string => limitAmount(limit.limit, value, currency);
  const { spent, reserved, max, unpriced } = limit;
  const known = `${atLeast(limit)}${show(spent)} spent and ${show(reserved)} reserved of ${show(max)}`;
  return unpriced > 0 ? `${known}, ${counted(unpriced, 'call')} unpriced` : known;
}

/** Pace and half hours are told by the minute. */
function useNowByMinutes(): number {
  return Number(useTicking(() => String(Math.floor(Date.now() / 60_000) * 60_000)));
}

function rowsOf(
  { budget, live }: ProcessRow,
  spending: ProcessDetail['spending'],
  nowMs: number,
): readonly Fact[] {
  const { day, until, runs, cost, limits, exceeded, models, currency } = budget;
  return [
    ['Day (UTC)', day || 'unknown'],
    ['Ends', until === null ? 'unknown' : <DayClock at={until} />],
    ['Runs', runs === null ? 'unknown' : countText(runs)],
    ['Cost', cost === null ? 'unknown until it is metered' : costText(cost)],
    ...(models === null
      ? []
      : ([
          ['Model calls', countText(models.turns)],
          ['Tokens', amountText(models.tokens)],
          ['Money', moneyText({ ...models, currency })],
        ] satisfies Fact[])),
    ...limits.flatMap((limit): readonly Fact[] => {
      const name = limitName(limit.words);
      const pace = paceText(limit, { spending, budget, nowMs });
      const overshoot = overshootText(limit, currency);
      return [
        [name, usedText(limit, currency)],
        ...(pace === '' ? [] : [[`${name}: pace`, pace] satisfies Fact]),
        ...(overshoot === '' ? [] : [[`${name}: overshoot`, overshoot] satisfies Fact]),
      ];
    }),
    ...(limits.length > 0 ? [] : [['Limits', live ? 'none set' : 'unknown'] satisfies Fact]),
    ...(exceeded === null ? [] : [['Did not fit', exceeded.text] satisfies Fact]),
  ];
}
