import { useMemo } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useConsole, useFleet } from '../../app/console-context.ts';
import { countsOf, FILTERS, type FilterId } from '../../stores/arrange.ts';
import { FLEET, hashOf, WAITING } from '../../stores/place.ts';
import { waitingHere } from '../../stores/waiting.ts';
import { countText } from '../../ui/numbers.ts';
import { countTone } from './count-tone.ts';

interface Props {
  readonly processes: Readonly<Record<string, ProcessRow>>;
  readonly chosen: FilterId | null;
}

/** How many of each, over the whole fleet; pressing one shows only those. */
export function FleetCounts({ processes, chosen }: Props) {
  const { fleetView } = useConsole();
  const counts = useMemo(() => countsOf(Object.values(processes)), [processes]);
  return (
    <div className="hf-counts" role="group" aria-label="Show only">
      {FILTERS.filter(({ id, always }) => always || counts[id] > 0 || id === chosen).map(({ id, word }) => (
        <button
          key={id}
          type="button"
          className={`hf-count ${countTone(id, counts[id])}`}
          aria-pressed={chosen === id}
          onClick={() => fleetView.setState({ filter: chosen === id ? null : id })}
        >
          <strong>{countText(counts[id])}</strong> {word}
        </button>
      ))}
      {waitingHere(processes) > 0 && <WaitingCount processes={processes} />}
    </div>
  );
}

/** The counts that are always news, over every other view; they lead to the fleet. */
export function HeaderCounts() {
  const { fleetView } = useConsole();
  const processes = useFleet((state) => state.processes);
  const counts = useMemo(() => countsOf(Object.values(processes)), [processes]);
  return (
    <nav className="hf-header-counts" aria-label="Counts">
      {FILTERS.filter(({ always }) => always).map(({ id, word }) => (
        <a
          key={id}
          href={hashOf(FLEET)}
          className={countTone(id, counts[id])}
          onClick={() => fleetView.setState({ filter: id, text: '' })}
        >
          <strong>{countText(counts[id])}</strong> {word}
        </a>
      ))}
      <WaitingCount processes={processes} />
    </nav>
  );
}

/** Leads to what waits for a person, which is another view. */
function WaitingCount({ processes }: Pick<Props, 'processes'>) {
  const waiting = waitingHere(processes);
  return (
    <a
      href={hashOf(WAITING)}
      className={`hf-count-link ${waiting === 0 ? 'hf-count-none' : 'hf-count-attention'}`}
    >
      <strong>{countText(waiting)}</strong> waiting for you
    </a>
  );
}
