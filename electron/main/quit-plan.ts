import { shortened } from './tray-model.ts';

const MOST_NAMED = 4;

export type QuitPlan =
  | { readonly kind: 'quit' }
  | {
      readonly kind: 'ask';
      readonly message: string;
      readonly detail: string;
      /** The first quits; the second, the default, doesn't. */
      readonly buttons: readonly [string, string];
    };

/**
 * Whether quitting needs an answer first: only while an invocation is under way. `now`: whoever asks can't answer (a
 * signal, the system going down, a test).
 */
export function quitPlan(busy: readonly string[], now: boolean): QuitPlan {
  if (now || busy.length === 0) return { kind: 'quit' };
  const named = busy.slice(0, MOST_NAMED).map(shortened).join(', ');
  const more = busy.length > MOST_NAMED ? ` and ${String(busy.length - MOST_NAMED)} more` : '';
  return {
    kind: 'ask',
    message:
      busy.length === 1
        ? 'A process is in the middle of an invocation.'
        : `${String(busy.length)} processes are in the middle of an invocation.`,
    detail:
      `${named}${more}. They are suspended before Holdfast quits, and go on at the next start with the same ` +
      'event. An effect that is under way may end in doubt.',
    buttons: ['Suspend All and Quit', 'Cancel'],
  };
}

export type ClosePlan = 'hide' | 'close';

export interface ClosingWindow {
  /** Processes that run or will by themselves. */
  readonly underWay: number;
  /** Whether a tray can bring the window back. */
  readonly hasTray: boolean;
  /** The operator's setting. */
  readonly hideOnClose: boolean;
  readonly quitting: boolean;
}

/** What closing the window does: it hides while processes run and something shows that they do. */
export function closePlan(window: ClosingWindow): ClosePlan {
  if (window.quitting || !window.hideOnClose) return 'close';
  return window.underWay > 0 && window.hasTray ? 'hide' : 'close';
}

const CRASHES_IN_A_ROW = 3;
const WINDOW_MS = 60_000;

/** Whether to load a page again that crashed at these times (milliseconds, the newest last), or to stop trying. */
export function mayReload(crashesMs: readonly number[]): boolean {
  const last = crashesMs.at(-1) ?? 0;
  return crashesMs.filter((at) => last - at < WINDOW_MS).length < CRASHES_IN_A_ROW;
}
