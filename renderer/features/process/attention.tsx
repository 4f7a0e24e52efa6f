import { Error as ErrorIcon, Pause } from '@blueprintjs/icons';
import { useRef, type ReactNode } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { FailureCode } from '../../ui/failure-text.tsx';
import { counted } from '../../ui/numbers.ts';
import { Said } from '../../ui/said.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { BudgetHold } from './budget-hold.tsx';
import { HealthHold } from './health-hold.tsx';
import { MissionHold } from './mission-hold.tsx';
import { Doubts, doubtsOf } from './doubts.tsx';
import { promisesOf, WaitingForSomebody } from './waiting-for-somebody.tsx';

const HOLDS: Readonly<Record<string, string>> = {
  operator: 'Held by an operator',
  in_doubt: 'Held by a doubt',
  idle: 'Idle',
  quit: 'Held while its host was away',
  gap: 'Held by a gap in its journal',
  trust: 'Held until it is trusted',
};

/** As many as are seen at a glance. */
const FEW = 4;

interface Matter {
  readonly count: number;
  /** In a word or two, where there is more than one. */
  readonly summary: string;
  readonly body: ReactNode;
}

/** What waits for a person: doubts first, then promises, then its budget, its health and its mission, then what else holds the process, then its last error. */
export function Attention({ detail }: { readonly detail: ProcessDetail }) {
  const room = useRef<HTMLDivElement>(null);
  const matters = mattersOf(detail);
  if (matters.length === 0) return null;
  const many = matters.reduce((sum, { count }) => sum + count, 0) > FEW;
  return (
    <div className="hf-attention" ref={room}>
      {/* The first may fill the room, and hide that there are others. */}
      {matters.length > 1 && many && (
        <div className="hf-matters" role="group" aria-label="What needs a person">
          {matters.map(({ summary }, at) => (
            <button
              key={summary}
              type="button"
              className="hf-pill"
              onClick={() =>
                room.current?.querySelectorAll('section')[at]?.scrollIntoView({ block: 'start' })
              }
            >
              {summary}
            </button>
          ))}
        </div>
      )}
      {matters.map(({ body }) => body)}
    </div>
  );
}

function mattersOf(detail: ProcessDetail): readonly Matter[] {
  const doubts = doubtsOf(detail);
  const promises = promisesOf(detail);
  const { row, counts, lastError } = detail;
  const budget = detail.holds.find(({ kind }) => kind === 'budget');
  const health = detail.holds.find(({ kind }) => kind === 'health');
  const mission = detail.holds.find(({ kind }) => kind === 'mission');
  const holds = detail.holds.filter((hold) => ![budget, health, mission].includes(hold));
  const matters: Matter[] = [];
  if (doubts.length > 0) {
    const body = <Doubts key="doubts" row={row} doubts={doubts} />;
    matters.push({ count: row.doubts, summary: `${counted(row.doubts, 'effect')} in doubt`, body });
  }
  if (promises.length > 0) {
    const body = <WaitingForSomebody key="promises" detail={detail} promises={promises} />;
    matters.push({ count: counts.promises, summary: counted(counts.promises, 'promise'), body });
  }
  if (budget !== undefined) {
    matters.push({ count: 1, summary: 'budget', body: <BudgetHold key="budget" row={row} hold={budget} /> });
  }
  if (health !== undefined) {
    matters.push({ count: 1, summary: 'health', body: <HealthHold key="health" row={row} hold={health} /> });
  }
  if (mission !== undefined) {
    const body = <MissionHold key="mission" detail={detail} hold={mission} />;
    matters.push({ count: 1, summary: 'mission', body });
  }
  if (holds.length > 0) {
    const body = <Holds key="holds" holds={holds} />;
    matters.push({ count: holds.length, summary: counted(holds.length, 'hold'), body });
  }
  if (row.state === 'failed' && lastError !== null) {
    matters.push({ count: 1, summary: 'last error', body: <LastError key="error" error={lastError} /> });
  }
  return matters;
}

function Holds({ holds }: Pick<ProcessDetail, 'holds'>) {
  return (
    <section className="hf-callout hf-callout-attention" aria-label="Holds">
      <Pause className="hf-callout-icon" />
      <ul className="hf-plain">
        {holds.map((hold) => (
          <li key={hold.kind}>
            <Bounded label="Hold" className="hf-said">
              <strong>{HOLDS[hold.kind] ?? `Held: ${visibleLine(hold.kind)}`}</strong>
              {hold.reason !== '' && <> · {visibleLine(hold.reason)}</>}
              <span className="hf-muted">
                {' '}
                · by {visibleLine(hold.actor) || 'nobody named'} · <Ago at={hold.since} long suffix=" ago" />
              </span>
            </Bounded>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LastError({ error }: { readonly error: NonNullable<ProcessDetail['lastError']> }) {
  return (
    <section className="hf-callout hf-callout-alarm" aria-label="Last error">
      <ErrorIcon className="hf-callout-icon" />
      <div>
        <strong>Failed</strong> <Ago at={error.at} long suffix=" ago" />
        <Said text={error.message} />
        <FailureCode code={error.code} message={error.message} />
      </div>
    </section>
  );
}
