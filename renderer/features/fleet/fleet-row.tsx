import { memo, type KeyboardEvent, type MouseEvent } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { moneyText } from '../../../core/model/money-text.ts';
import { fullestOf, shareOf } from '../../../core/model/limit-gauge.ts';
import { useConsole, useFleet } from '../../app/console-context.ts';
import { hashOf, processPlace } from '../../stores/place.ts';
import { targetOf } from '../../stores/target.ts';
import { anomalyWords } from '../../ui/anomaly-text.ts';
import { HealthTicks } from '../../ui/health-ticks.tsx';
import { atLeast, limitAmount, limitName } from '../../ui/limit-text.ts';
import { dayWords } from '../../ui/moments.ts';
import { costText, countText, noRunsText } from '../../ui/numbers.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { useTicking } from '../../ui/ticker.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Why } from '../../ui/why.tsx';
import { RowActions } from '../actions/row-actions.tsx';
import { useShownState } from '../actions/use-shown-state.ts';

interface Props {
  readonly id: string;
  /** Where the tab key enters the table. */
  readonly current: boolean;
  readonly selected: boolean;
}

/** Reads its own row, so that a change of one process renders one row. */
export const FleetRow = memo(function FleetRow({ id, current, selected }: Props) {
  const row = useFleet((state) => state.processes[id]);
  return row === undefined ? null : <KnownRow row={row} current={current} selected={selected} />;
});

interface KnownProps {
  readonly row: ProcessRow;
  readonly current: boolean;
  readonly selected: boolean;
}

function KnownRow({ row, current, selected }: KnownProps) {
  const { fleetView, place } = useConsole();
  const target = targetOf(row);
  const select = (): void => fleetView.setState({ selected: row.key });
  const open = (): void => {
    select();
    place.go(processPlace(target));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
    event.preventDefault();
    open();
  };
  const onDoubleClick = (event: MouseEvent): void => {
    if (!(event.target instanceof Element) || event.target.closest('button, a') === null) open();
  };
  const name = visibleLine(row.name);
  return (
    <tr
      role="row"
      className={`hf-row hf-tone-${row.tone}${row.live ? '' : ' hf-recorded'}`}
      tabIndex={current ? 0 : -1}
      aria-selected={selected}
      aria-label={name}
      data-key={row.key}
      onFocus={select}
      onKeyDown={onKeyDown}
      onDoubleClick={onDoubleClick}
    >
      <td role="gridcell" className="hf-cell-name">
        <a href={hashOf(processPlace(target))} tabIndex={-1} title={name}>
          {name}
        </a>
        {row.description !== '' && (
          <span className="hf-second" title={visibleLine(row.description)}>
            {visibleLine(row.description)}
          </span>
        )}
      </td>
      <td role="gridcell" className="hf-cell-state">
        <StateCell row={row} />
      </td>
      <td role="gridcell" className="hf-cell-why">
        <span className="hf-clamp" title={visibleLine(row.why)}>
          <Why row={row} />
        </span>
      </td>
      <td role="gridcell" className="hf-cell-budget">
        <BudgetCell row={row} />
      </td>
      <td role="gridcell" className="hf-cell-health">
        <HealthCell row={row} />
      </td>
      <td role="gridcell" className="hf-cell-number">
        {row.lastEntryAt === null ? <span className="hf-muted">never</span> : <Ago at={row.lastEntryAt} />}
      </td>
      <td role="gridcell" className={`hf-cell-number${row.restarts === 0 ? ' hf-muted' : ''}`}>
        {countText(row.restarts)}
      </td>
      <td role="gridcell" className="hf-cell-actions">
        <RowActions row={row} reachable={current} />
      </td>
    </tr>
  );
}

function StateCell({ row }: { readonly row: ProcessRow }) {
  const look = useShownState(row);
  return (
    <span className={`hf-state hf-hue-${look.hue}`}>
      <StateMark look={look} />
      <span className="hf-state-text" title={look.text}>
        {look.text}
      </span>
    </span>
  );
}

function BudgetCell({ row: { budget } }: { readonly row: ProcessRow }) {
  const fullest = fullestOf(budget.limits);
  return fullest === null ? (
    <RunsCell budget={budget} />
  ) : (
    <LimitCell limit={fullest} currency={budget.currency} />
  );
}

/** Of several limits the one of which most is used. */
function LimitCell({
  limit,
  currency,
}: {
  readonly limit: ProcessRow['budget']['limits'][number];
  readonly currency: string | null;
}) {
  const { words, spent, reserved, max } = limit;
  const share = shareOf(limit);
  const show = (value: number): string => limitAmount(limit.limit, value, currency);
  const used = `${atLeast(limit)}${show(spent + reserved)} of ${show(max)}`;
  return (
    <>
      <span className="hf-first">
        <span className="hf-bar" aria-hidden="true">
          <span
            className={share >= 1 ? 'hf-bar-full' : ''}
            style={{ inlineSize: `${Math.min(share, 1) * 100}%` }}
          />
        </span>
        <span
          className={share >= 1 ? 'hf-runs hf-attention-text' : 'hf-runs'}
          title={`${limitName(words)}: ${used}`}
        >
          {atLeast(limit)}
          {share > 0 && share < 0.01 ? '< 1 %' : `${Math.floor(share * 100)} %`}
        </span>
      </span>
      <span className="hf-second" title={`${limitName(words)}: ${used}`}>
        {words}
      </span>
    </>
  );
}

function RunsCell({
  budget: { day, runs, cost, models, currency },
}: {
  readonly budget: ProcessRow['budget'];
}) {
  const when = useTicking(() => dayWords(day, Date.now()));
  const shown = runs === null ? 'unknown' : countText(runs);
  return (
    <>
      <span className="hf-first">
        <span className="hf-runs" title={`Runs ${when}: ${shown}`}>
          {runs === null ? shown : `${shown} ${when}`}
        </span>
      </span>
      <span className="hf-second">
        {models === null ? `cost ${costText(cost)}` : moneyText({ ...models, currency })}
      </span>
    </>
  );
}

function HealthCell({ row: { health, budget } }: { readonly row: ProcessRow }) {
  const { sample, failures, runs, verdict, anomalies } = health;
  const found = anomalies.map(({ text }) => visibleLine(text)).join('\n');
  const share = `${failures} of ${sample}`;
  const words =
    sample === 0 ? noRunsText(budget.runs) : failures === 0 ? `last ${sample} ok` : `${share} failed`;
  return (
    <>
      <span className="hf-first">
        <HealthTicks runs={runs} />
      </span>
      {anomalies.length > 0 ? (
        <span className="hf-second hf-alarm-text" title={found}>
          {anomalyWords(anomalies.map(({ type }) => type))}
        </span>
      ) : (
        <span className={verdict === 'failing' ? 'hf-second hf-alarm-text' : 'hf-second'} title={words}>
          {verdict === 'failing' ? `failing, ${share}` : words}
        </span>
      )}
    </>
  );
}
