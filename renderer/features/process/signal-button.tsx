import { Button } from '@blueprintjs/core';
import type { ProcessDetail } from '../../../core/contract/views.ts';
import { useActionsOff, useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';

/** Signals go to open invocations, so without one there is nobody to send them to. */
export function SignalButton({ detail: { row, open } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useActionsOff(targetOf(row)) || !row.live;
  return (
    <Button
      size="small"
      disabled={off || open.length === 0}
      onClick={() => actions.ask({ kind: 'signal', row, invocations: open.length })}
    >
      Send a signal…
    </Button>
  );
}
