import { Button } from '@blueprintjs/core';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';

/** Signals and questions go to open invocations, so without one there is nobody to send them to. */
export function InvocationButtons({ detail: { row, counts, open } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row) || open.length === 0;
  const invocations = open.map(({ eventId, invocation }) => ({ eventId, invocation }));
  return (
    <div className="hf-buttons">
      <Button
        size="small"
        disabled={off}
        onClick={() => actions.ask({ kind: 'signal', row, invocations: counts.open })}
      >
        Send a signal…
      </Button>
      <Button
        size="small"
        disabled={off}
        onClick={() => actions.ask({ kind: 'query', row, invocations, count: counts.open })}
      >
        Ask it…
      </Button>
    </div>
  );
}
