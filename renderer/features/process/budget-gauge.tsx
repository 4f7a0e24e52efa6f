import { Button } from '@blueprintjs/core';
import type { ProcessRow } from '../../../core/contract/views.ts';
import { shareOf } from '../../../core/model/limit-gauge.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import { limitName } from '../../ui/limit-text.ts';
import { dayWords } from '../../ui/moments.ts';
import { amountText, costText, counted, countText } from '../../ui/numbers.ts';
import { useTicking } from '../../ui/ticker.ts';
import { DayClock, Until } from '../../ui/time-text.tsx';
import { GaugeCard } from './gauge-card.tsx';

type Budget = ProcessRow['budget'];
type Limit = Budget['limits'][number];

/** Each limit, and how much of it is used. What nobody counted or knows is called unknown [P5]. */
export function BudgetGauge({ row }: { readonly row: ProcessRow }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { budget, live } = row;
  const { limits, day, runs, cost } = budget;
  const when = useTicking(() => dayWords(day, Date.now()));
  const costs = cost === null ? 'unknown until it is metered' : costText(cost);
  return (
    <GaugeCard title="Budget" rows={rowsOf(row)}>
      {limits.length > 0 && (
        <ul className="hf-plain hf-limits">
          {limits.map((limit) => (
            <LimitMeter key={limit.limit} limit={limit} />
          ))}
        </ul>
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
      <span className="hf-muted">
        <DayEnd budget={budget} />
      </span>
      {limits.length > 0 && live && (
        <Button
          size="small"
          className="hf-gauge-button"
          disabled={off}
          onClick={() => actions.ask({ kind: 'extend', row, limit: budget.exceeded?.limit ?? null })}
        >
          Extend a limit…
        </Button>
      )}
    </GaugeCard>
  );
}

function LimitMeter({ limit }: { readonly limit: Limit }) {
  const { words, spent, reserved, max } = limit;
  const share = shareOf(limit);
  const spentShare = share === 0 ? 0 : (Math.min(share, 1) * spent) / (spent + reserved);
  const percent = (part: number): string => `${part * 100}%`;
  return (
    <li className="hf-limit">
      <div className="hf-limit-words">
        <span>{limitName(words)}</span>
        <span className={share >= 1 ? 'hf-attention-text' : ''}>
          {amountText(spent + reserved)} of {amountText(max)}
        </span>
      </div>
      <div
        className="hf-bar hf-bar-wide"
        role="meter"
        aria-label={limitName(words)}
        aria-valuemin={0}
        aria-valuemax={max || 1}
        aria-valuenow={max === 0 ? share : Math.min(spent + reserved, max)}
        aria-valuetext={`${usedText(limit)}${share >= 1 ? ': the limit is reached' : ''}`}
      >
        <span className={share >= 1 ? 'hf-bar-full' : ''} style={{ inlineSize: percent(spentShare) }} />
        <span className="hf-bar-reserved" style={{ inlineSize: percent(Math.min(share, 1) - spentShare) }} />
      </div>
      {reserved > 0 && (
        <div className="hf-second">{amountText(reserved)} of it reserved: under way, not ended</div>
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

function usedText({ spent, reserved, max }: Limit): string {
  return `${amountText(spent)} spent and ${amountText(reserved)} reserved of ${amountText(max)}`;
}

function rowsOf({ budget, live }: ProcessRow): readonly Fact[] {
  const { day, until, runs, cost, limits, exceeded } = budget;
  return [
    ['Day (UTC)', day || 'unknown'],
    ['Ends', until === null ? 'unknown' : <DayClock at={until} />],
    ['Runs', runs === null ? 'unknown' : countText(runs)],
    ['Cost', cost === null ? 'unknown until it is metered' : costText(cost)],
    ...limits.map((limit): Fact => [limitName(limit.words), usedText(limit)]),
    ...(limits.length > 0 ? [] : [['Limits', live ? 'none set' : 'unknown'] satisfies Fact]),
    ...(exceeded === null ? [] : [['Did not fit', exceeded.text] satisfies Fact]),
  ];
}
