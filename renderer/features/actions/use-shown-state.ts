import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useConsole, usePending } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import { shownState, type StateLook } from '../../ui/state-look.ts';
import { useTicking } from '../../ui/ticker.ts';

/** How a process's state reads now, with its ages kept up to date. */
export function useShownState(row: ProcessRow): StateLook & { readonly text: string } {
  const { clock } = useConsole();
  const pending = usePending(targetOf(row));
  const now = () => {
    const asked =
      pending === undefined ? null : { word: pending.what, forMs: clock.monotonic() - pending.askedAtMs };
    return shownState(row, asked, Date.now());
  };
  // Only the text depends on the time.
  const text = useTicking(() => now().text);
  return { ...now(), text };
}
