import type { RequestName } from '../../core/contract/requests.ts';
import type { Action } from '../../core/contract/views.ts';

/** How much an action asks before it acts: nothing, a light dialog, or its consequences and a reason. */
type Confirming = 'none' | 'light' | 'full';

export interface ActionLook {
  readonly request: Extract<RequestName, `processes.${Action}`>;
  /** On a button: verb first. */
  readonly label: string;
  /** While the host has not answered. */
  readonly asked: string;
  readonly confirming: Confirming;
}

const action = (name: Action, label: string, asked: string, confirming: Confirming): ActionLook => ({
  request: `processes.${name}`,
  label,
  asked,
  confirming,
});

/** One table for buttons, menus and dialogs. Which of them a process offers is the host's word alone. */
export const ACTION_TABLE: Readonly<Record<Action, ActionLook>> = {
  start: action('start', 'Start', 'Starting', 'none'),
  suspend: action('suspend', 'Suspend', 'Suspending', 'none'),
  resume: action('resume', 'Resume', 'Resuming', 'none'),
  stop: action('stop', 'Stop', 'Stopping', 'light'),
  trigger: action('trigger', 'Trigger now', 'Triggering', 'none'),
  'kill-worker': action('kill-worker', 'Kill worker', 'Killing the worker', 'full'),
  'force-recover': action('force-recover', 'Force-recover', 'Recovering', 'full'),
};
