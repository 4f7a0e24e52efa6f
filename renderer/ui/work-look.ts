// How effects and invocations look: like states, always a shape, a colour and a word.

import type { EffectView, InvocationView, WaitView } from '../../core/contract/work-views.ts';
import type { Hue, Shape } from './state-look.ts';

export interface WorkLook {
  readonly shape: Shape;
  readonly hue: Hue;
  readonly word: string;
  readonly moving: false;
}

const look = (shape: Shape, hue: Hue, word: string): WorkLook => ({ shape, hue, word, moving: false });

const ENDS: Readonly<Record<EffectView['end'], WorkLook>> = {
  open: look('half', 'primary', 'Under way'),
  done: look('tick', 'success', 'Done'),
  did_not_happen: look('slashed', 'neutral', 'Did not happen'),
  in_doubt: look('hatched', 'warning', 'In doubt'),
};

/** The end of an effect as far as it is known: without one and with nobody performing it, it is in doubt. */
export function endOf({ end, needsOperator }: Pick<EffectView, 'end' | 'needsOperator'>): EffectView['end'] {
  return needsOperator ? 'in_doubt' : end;
}

export function endLook(effect: Pick<EffectView, 'end' | 'needsOperator'>): WorkLook {
  return ENDS[endOf(effect)];
}

const STANDINGS: Readonly<Record<InvocationView['standing'], WorkLook>> = {
  running: look('disc', 'success', 'Running'),
  ready: look('ring', 'primary', 'Ready'),
  waiting: look('quarter', 'primary', 'Waiting'),
  'backing-off': look('record', 'warning', 'Backing off'),
  'in-doubt': look('hatched', 'warning', 'In doubt'),
};

export function standingLook(standing: InvocationView['standing']): WorkLook {
  return STANDINGS[standing];
}

/** Settled by nobody yet. */
export function openWaits(
  { waits }: Pick<InvocationView, 'waits'>,
  kind: WaitView['kind'],
): readonly WaitView[] {
  return waits.filter((wait) => wait.status === 'open' && wait.kind === kind);
}
