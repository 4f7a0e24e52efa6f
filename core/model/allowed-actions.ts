import { transition, type LifecycleState } from './lifecycle.ts';

export const ACTIONS = [
  'start',
  'suspend',
  'resume',
  'restart',
  'stop',
  'trigger',
  'kill-worker',
  'force-recover',
] as const;
export type Action = (typeof ACTIONS)[number];

export interface ActionFacts {
  readonly state: LifecycleState;
  readonly hasWorker: boolean;
  /** Whether a hold is in place that an operator's *resume* lifts. */
  readonly isResumable: boolean;
  readonly hasTrouble: boolean;
}

/** What an operator may do now, from the same table that the runtime obeys. */
export function allowedActions({
  state,
  hasWorker,
  isResumable,
  hasTrouble,
}: ActionFacts): readonly Action[] {
  if (hasTrouble) return ['force-recover', 'stop'];
  const may = (event: Parameters<typeof transition>[1]): boolean => transition(state, event).ok;
  const allowed: Record<Action, boolean> = {
    start: may('start'),
    suspend: may('suspend'),
    resume: state === 'suspended' && isResumable,
    restart: may('stop') && state !== 'failed' && state !== 'created',
    stop: may('stop') && state !== 'failed',
    trigger: state === 'running' || state === 'awaiting' || state === 'suspended',
    'kill-worker': hasWorker,
    'force-recover': true,
  };
  return ACTIONS.filter((action) => allowed[action]);
}
