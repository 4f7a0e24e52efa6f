import { Offline } from '@blueprintjs/icons';
import { useStore } from 'zustand';
import { useConsole } from './console-context.ts';
import { clockText } from '../ui/moments.ts';

/** Over everything, as long as the host is silent: what is shown is old, and how old. */
export function SilenceBanner() {
  const { liveness } = useConsole();
  const { silent, heardAtMs } = useStore(liveness.store);
  if (!silent) return null;
  return (
    <div className="hf-banner" role="alert">
      <Offline />
      <span>
        <strong>{heardAtMs === null ? 'No data' : `Data as of ${clockText(heardAtMs)}`}.</strong> The host
        does not answer. Actions are off until it does; the console keeps asking.
      </span>
    </div>
  );
}
