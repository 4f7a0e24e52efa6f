// What is said of the classes of tools, and of whoever chose them.

import type { ToolView } from '../../../core/contract/tools-view.ts';
import type { EffectClass } from '../../../core/model/effects.ts';

export const CLASS_WORDS: Readonly<Record<EffectClass, string>> = {
  retry: 'is made again: it is harmless',
  idempotent: 'is made again with the same key',
  reconcile: 'is asked about where it was made',
  ask: 'waits for a person',
};

export const DECIDED_WORDS: Readonly<Record<ToolView['decidedBy'], string>> = {
  operator: 'said by an operator',
  manifest: 'said by the manifest',
  annotation: 'said by its server, which is trusted',
  changed: 'its server says something else than when it was believed',
  default: 'nobody said otherwise',
};
