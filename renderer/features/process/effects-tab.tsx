import { Button } from '@blueprintjs/core';
import { useCallback, useMemo, useState } from 'react';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useConsole, useProcess } from '../../app/console-context.ts';
import { ApplyChanges } from '../../ui/apply-changes.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { EmptyView, Skeleton } from '../../ui/state-of-view.tsx';
import { useHeldOrder } from '../../ui/use-held-order.ts';
import { EffectGrid } from './effect-grid.tsx';
import { countEnds, ledgerOf, type EndFilter } from './ledger.ts';

const FILTERS: readonly (readonly [EndFilter, string])[] = [
  ['all', 'all'],
  ['in_doubt', 'in doubt'],
  ['open', 'under way'],
  ['did_not_happen', 'did not happen'],
  ['done', 'done'],
];

/** What touched the world: the effects of open invocations, and of those that the read part of the journal tells. */
export function EffectsTab({ detail }: { readonly detail: ProcessDetail }) {
  const { process } = useConsole();
  const timeline = useProcess((state) => state.timeline);
  const phase = useProcess((state) => state.timelinePhase);
  const loadingOlder = useProcess((state) => state.loadingOlder);
  const [filter, setFilter] = useState<EndFilter>('all');
  const ledger = useMemo(() => ledgerOf(detail.open, timeline.rows), [detail.open, timeline.rows]);
  const counts = countEnds(ledger);
  const byId = useMemo(() => new Map(ledger.map((row) => [row.effectId, row])), [ledger]);
  const fresh = useMemo(
    () => ledger.filter(({ end }) => filter === 'all' || end === filter).map(({ effectId }) => effectId),
    [ledger, filter],
  );
  const exists = useCallback((id: string) => byId.has(id), [byId]);
  // While somebody points at the list, what is new waits: nothing moves under his eyes.
  const order = useHeldOrder(fresh, filter, exists);
  const shown = useMemo(() => order.keys.flatMap((id) => byId.get(id) ?? []), [order.keys, byId]);
  if (ledger.length === 0 && phase === 'loading') return <Skeleton lines={6} label="Reading the effects" />;

  const end = (
    <footer className="hf-rows-end">
      <span className="hf-muted">
        {timeline.before === null
          ? 'Of open invocations, and of the whole journal.'
          : `Of open invocations, and of the newest ${counted(timeline.rows.length, 'entry', 'entries')} of the journal.`}
        {cutText(detail)}
      </span>
      {timeline.before !== null && (
        <Button size="small" loading={loadingOlder} onClick={() => void process.readOlder()}>
          Read older entries
        </Button>
      )}
    </footer>
  );
  if (ledger.length === 0) {
    return (
      <>
        <EmptyView title="No effects">
          <p>
            {detail.counts.open === 0 ? 'No invocation is open' : 'What is under way has announced none'}, and{' '}
            {timeline.before === null
              ? 'the journal tells of none.'
              : 'none is told of in the part of the journal that was read.'}{' '}
            They appear here as soon as its code announces one.
          </p>
        </EmptyView>
        {timeline.before !== null && end}
      </>
    );
  }
  return (
    <>
      <div className="hf-effect-counts">
        <div className="hf-counts" role="group" aria-label="Filter by end">
          {FILTERS.map(([id, word]) => (
            <button
              key={id}
              type="button"
              className={countClass(id, counts[id])}
              aria-pressed={filter === id}
              onClick={() => setFilter(filter === id ? 'all' : id)}
            >
              <strong>{countText(counts[id])}</strong> {word}
            </button>
          ))}
        </div>
        <ApplyChanges changes={order.changes} apply={order.apply} />
      </div>
      {shown.length === 0 ? (
        <EmptyView
          title={`None of ${counted(ledger.length, 'effect')} fits`}
          action={<Button onClick={() => setFilter('all')}>Show all effects</Button>}
        >
          <p>Nothing is “{FILTERS.find(([id]) => id === filter)?.[1]}” now.</p>
        </EmptyView>
      ) : (
        <EffectGrid rows={shown} process={detail.row} listeners={order.listeners} />
      )}
      {end}
    </>
  );
}

/** What is left out of open invocations, in a sentence for each. */
function cutText({ open, counts }: ProcessDetail): string {
  const all = open.reduce((sum, { effectCount }) => sum + effectCount, 0);
  const shown = open.reduce((sum, { effects }) => sum + effects.length, 0);
  const effects =
    shown < all
      ? ` ${countText(shown)} of ${countText(all)} effects are shown: the newest, and before them those that wait for you.`
      : '';
  const invocations =
    open.length < counts.open
      ? ` ${countText(open.length)} of ${countText(counts.open)} open invocations are shown.`
      : '';
  return effects + invocations;
}

function countClass(id: EndFilter, count: number): string {
  if (count === 0) return 'hf-count hf-count-none';
  return id === 'in_doubt' ? 'hf-count hf-count-attention' : 'hf-count';
}
