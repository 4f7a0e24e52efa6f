import { AppError } from './errors.ts';

export const LIFECYCLE_STATES = [
  'created',
  'starting',
  'running',
  'suspended',
  'awaiting',
  'stopping',
  'stopped',
  'failed',
] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** What happens to a process, as opposed to the state that it leads to. */
export const LIFECYCLE_EVENTS = [
  'start',
  'started',
  'suspend',
  'resume',
  'await',
  'wake',
  'stop',
  'stopped',
  'fail',
] as const;
export type LifecycleEvent = (typeof LIFECYCLE_EVENTS)[number];

/** What the runtime has to do on entering the new state, in this order. */
export type LifecycleCommand =
  | 'prepare'
  | 'open-triggers'
  | 'close-triggers'
  | 'dispatch'
  | 'checkpoint'
  | 'release-workers'
  | 'finish-stopping'
  | 'consider-restart';

interface Edge {
  readonly to: LifecycleState;
  readonly commands: readonly LifecycleCommand[];
}

const stop: Edge = { to: 'stopping', commands: ['close-triggers', 'finish-stopping'] };
const fail: Edge = { to: 'failed', commands: ['close-triggers', 'release-workers', 'consider-restart'] };
const start: Edge = { to: 'starting', commands: ['prepare'] };

/**
 * Promptise's table with two edges more, awaiting to suspended and back [S35]. There are no self-transitions: what
 * would be one (recovering a running process) is an entry of its own.
 */
const TABLE: Readonly<Record<LifecycleState, Partial<Record<LifecycleEvent, Edge>>>> = {
  created: { start, stop: { to: 'stopped', commands: [] } },
  starting: { started: { to: 'running', commands: ['open-triggers', 'dispatch'] }, fail, stop },
  running: {
    suspend: { to: 'suspended', commands: ['checkpoint'] },
    await: { to: 'awaiting', commands: ['checkpoint', 'release-workers'] },
    stop,
    fail,
  },
  suspended: {
    resume: { to: 'running', commands: ['open-triggers', 'dispatch'] },
    await: { to: 'awaiting', commands: [] },
    stop,
    fail,
  },
  awaiting: {
    wake: { to: 'running', commands: ['dispatch'] },
    suspend: { to: 'suspended', commands: ['checkpoint'] },
    stop,
    fail,
  },
  stopping: { stopped: { to: 'stopped', commands: ['checkpoint'] }, fail },
  stopped: { start },
  failed: { start, stop },
};

export type Transition =
  | { readonly ok: true; readonly state: LifecycleState; readonly commands: readonly LifecycleCommand[] }
  | { readonly ok: false; readonly error: AppError };

export function transition(state: LifecycleState, event: LifecycleEvent): Transition {
  const edge = TABLE[state][event];
  if (edge !== undefined) return { ok: true, state: edge.to, commands: edge.commands };
  const possible = Object.keys(TABLE[state]).join(', ');
  return {
    ok: false,
    error: new AppError(
      'process.illegal-transition',
      `A process that is ${state} can't ${event}. From ${state} it can: ${possible}.`,
      { state, event },
    ),
  };
}

/** Where a state may lead, for the diagram. */
export function nextStates(state: LifecycleState): readonly LifecycleState[] {
  return Object.values(TABLE[state]).map((edge) => edge.to);
}

export function isLifecycleState(text: string): text is LifecycleState {
  return (LIFECYCLE_STATES as readonly string[]).includes(text);
}

/** True while the process may hold workers, triggers or a queue that moves. */
export function isActive(state: LifecycleState): boolean {
  return state !== 'created' && state !== 'stopped' && state !== 'failed';
}
