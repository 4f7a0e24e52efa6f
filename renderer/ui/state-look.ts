import type { ProcessRow } from '../../core/contract/process-row.ts';
import { isLifecycleState, type LifecycleState } from '../../core/model/lifecycle.ts';
import { parseTimestamp } from '../../core/model/time.ts';
import { longSpanText, spanText } from './durations.ts';
import { visibleLine } from './visible-text.ts';
import { whyText } from './why-text.ts';

export type Shape =
  | 'ring'
  | 'dashed-ring'
  | 'disc'
  | 'quarter'
  | 'bars'
  | 'half'
  | 'square'
  | 'octagon'
  | 'hatched'
  | 'record'
  | 'tick'
  | 'slashed';
export type Hue = 'neutral' | 'primary' | 'success' | 'warning' | 'danger';

/** A state has a shape, a colour and a word, always all three. */
export interface StateLook {
  readonly shape: Shape;
  readonly hue: Hue;
  readonly word: string;
  /** Only what is on its way moves, and nothing does under reduced motion. */
  readonly moving: boolean;
}

const look = (shape: Shape, hue: Hue, word: string, moving = false): StateLook => ({
  shape,
  hue,
  word,
  moving,
});

const LOOKS: Readonly<Record<LifecycleState, StateLook>> = {
  created: look('ring', 'neutral', 'Created'),
  starting: look('dashed-ring', 'primary', 'Starting', true),
  running: look('disc', 'success', 'Running'),
  suspended: look('bars', 'warning', 'Suspended'),
  awaiting: look('quarter', 'primary', 'Awaiting'),
  stopping: look('half', 'primary', 'Stopping', true),
  stopped: look('square', 'neutral', 'Stopped'),
  failed: look('octagon', 'danger', 'Failed'),
};

/** The look of a lifecycle state, or of whatever word a foreign journal holds. */
export function lookOf(state: string): StateLook {
  return isLifecycleState(state) ? LOOKS[state] : look('hatched', 'neutral', visibleLine(state) || 'Unknown');
}

/** An operator's request that has not been answered. */
export interface Asked {
  readonly word: string;
  readonly forMs: number;
}

type Facts = Pick<ProcessRow, 'live' | 'state' | 'stateSince' | 'lastEntryAt' | 'why' | 'whyAt'>;

/**
 * How a process's state is shown: what was asked and is not answered comes before the state, and what nobody runs is
 * what its journal last said [S41], never the state itself.
 */
export function shownState(
  row: Facts,
  asked: Asked | null,
  nowMs: number,
): StateLook & { readonly text: string } {
  const { shape, hue, word, moving } = lookOf(row.state);
  if (asked !== null) {
    return {
      ...look('half', 'primary', asked.word, true),
      text: `${asked.word} (you, ${spanText(asked.forMs)})`,
    };
  }
  if (!row.live) {
    const at = parseTimestamp(row.lastEntryAt ?? row.stateSince ?? '');
    const age = at === null ? '' : `, ${spanText(nowMs - at)} ago`;
    return { ...look('record', 'neutral', word), text: `last recorded: ${word}${age}` };
  }
  // What it waits for is half of what *awaiting* says.
  const what = row.state === 'awaiting' ? whyText(row, nowMs).replace(/^waiting for /, '') : '';
  if (what !== '') return { shape, hue, word, moving, text: `${word} · ${what}` };
  const since = moving ? parseTimestamp(row.stateSince ?? '') : null;
  return {
    shape,
    hue,
    word,
    moving,
    text: since === null ? word : `${word} · ${longSpanText(nowMs - since)}`,
  };
}
