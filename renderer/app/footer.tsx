import { useStore } from 'zustand';
import { useConsole } from './console-context.ts';
import { countText } from '../ui/numbers.ts';
import { clockText, offsetText } from '../ui/moments.ts';

/** How true the screen is: as of when, up to which change, and who says so. */
export function Footer() {
  const { fleet, liveness } = useConsole();
  const sequence = useStore(fleet.store, (state) => state.sequence);
  const { info, heardAtMs, roundTripMs, silent } = useStore(liveness.store);
  return (
    <footer className="hf-footer">
      <span>
        {heardAtMs === null ? (
          'nothing read yet'
        ) : (
          <>
            data as of <time dateTime={new Date(heardAtMs).toISOString()}>{clockText(heardAtMs)}</time> local
            (UTC
            {offsetText(heardAtMs)})
          </>
        )}
      </span>
      {sequence >= 0 && <span>change {countText(sequence)}</span>}
      <span>
        {silent
          ? 'the host does not answer'
          : roundTripMs === null
            ? 'asking the host'
            : `host answers in ${roundTripMs < 1 ? 'under 1' : countText(roundTripMs)} ms`}
      </span>
      {info !== null && (
        <span
          className={info.isStandIn ? 'hf-footer-host hf-footer-standin' : 'hf-footer-host'}
          title={info.host}
        >
          Holdfast {info.version} · {info.host}
        </span>
      )}
    </footer>
  );
}
