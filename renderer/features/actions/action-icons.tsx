import { Lifesaver, Lightning, Offline, Pause, Play, Power, Refresh, Stop } from '@blueprintjs/icons';
import type { Action } from '../../../core/contract/process-row.ts';
import { never } from '../../../core/model/errors.ts';

/** The sign of an action; decoration, since its name always stands beside it or on the button. */
export function ActionIcon({ action, size = 16 }: { readonly action: Action; readonly size?: number }) {
  switch (action) {
    case 'start':
      return <Power size={size} />;
    case 'suspend':
      return <Pause size={size} />;
    case 'resume':
      return <Play size={size} />;
    case 'trigger':
      return <Lightning size={size} />;
    case 'stop':
      return <Stop size={size} />;
    case 'restart':
      return <Refresh size={size} />;
    case 'kill-worker':
      return <Offline size={size} />;
    case 'force-recover':
      return <Lifesaver size={size} />;
    default:
      return never(action);
  }
}
