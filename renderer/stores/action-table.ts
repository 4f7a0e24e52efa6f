import type { RequestName } from '../../core/contract/requests.ts';
import type { Action } from '../../core/contract/process-row.ts';

/**
 * How much an action asks before it acts: nothing; nothing unless the host finds what is worth a look; a light dialog;
 * or what it will do, and a reason.
 */
type Confirming = 'none' | 'if-found' | 'light' | 'full';

export interface ActionLook {
  readonly request: Extract<RequestName, `processes.${Action}`>;
  /** On a button: verb first. */
  readonly label: string;
  /** While the host has not answered. */
  readonly asked: string;
  readonly confirming: Confirming;
  /** Ends something by force. */
  readonly danger: boolean;
}

const action = (
  name: Action,
  label: string,
  asked: string,
  confirming: Confirming,
  danger = false,
): ActionLook => ({
  request: `processes.${name}`,
  label,
  asked,
  confirming,
  danger,
});

/** One table for buttons, menus and dialogs. Which of them a process offers is the host's word alone. */
export const ACTION_TABLE: Readonly<Record<Action, ActionLook>> = {
  start: action('start', 'Start', 'Starting', 'none'),
  suspend: action('suspend', 'Suspend', 'Suspending', 'none'),
  resume: action('resume', 'Resume', 'Resuming', 'if-found'),
  restart: action('restart', 'Restart', 'Restarting', 'full'),
  stop: action('stop', 'Stop', 'Stopping', 'light'),
  trigger: action('trigger', 'Trigger now', 'Triggering', 'none'),
  'kill-worker': action('kill-worker', 'Kill worker', 'Killing the worker', 'full', true),
  'force-recover': action('force-recover', 'Force-recover', 'Recovering', 'full', true),
};

/** Can be taken back, so it is one click away. */
export function isOneClick(name: Action): boolean {
  const { confirming } = ACTION_TABLE[name];
  return confirming === 'none' || confirming === 'if-found';
}

/** As a button or a menu names it: with an ellipsis where a question follows for certain. */
export function buttonText(name: Action): string {
  const { label } = ACTION_TABLE[name];
  return isOneClick(name) ? label : `${label}…`;
}
