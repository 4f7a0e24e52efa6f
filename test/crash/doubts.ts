// Which effects a death left in doubt, and whether somebody was told of each of them before anything was done about it.

import type { FoldedEntry } from '../../core/model/fold.ts';
import { textAt } from '../../core/model/json.ts';
import type { SweepProblem } from './kill-sweep.ts';

interface Announced {
  readonly name: string;
  readonly effectClass: string;
  readonly key: string;
  isInDoubt: boolean;
}

/**
 * Of a whole journal. An effect of class `ask` has to be held for an operator until one decides; of one of class
 * `reconcile` whoever it was done with has to be asked, by its key.
 */
export function unreportedDoubts(
  entries: readonly FoldedEntry[],
  asked: readonly string[],
): readonly SweepProblem[] {
  const problems: SweepProblem[] = [];
  const announced = new Map<string, Announced>();
  let isHeld = false;
  const unreported = ({ name }: Announced, what: string): void =>
    void problems.push({ kind: 'unreported doubt', text: `${name} was in doubt, and ${what}` });
  for (const { entry_type, data } of entries) {
    const effectId = textAt(data, 'effect_id');
    const effect = announced.get(effectId);
    switch (entry_type) {
      case 'effect_started': {
        if (effect?.isInDoubt === true && effect.effectClass === 'ask') {
          unreported(effect, 'was announced again without a decision');
        }
        if (effect?.isInDoubt === true && effect.effectClass === 'reconcile' && !asked.includes(effect.key)) {
          unreported(effect, 'was announced again, and nobody was asked');
        }
        const effectClass = textAt(data, 'class');
        const [name, key] = [textAt(data, 'name'), textAt(data, 'key')];
        announced.set(effectId, { name, effectClass, key, isInDoubt: false });
        break;
      }
      case 'effect_finished':
        if (effect?.isInDoubt === true && effect.effectClass === 'ask') {
          unreported(effect, 'came to an end without a decision');
        }
        if (effect?.isInDoubt === true && effect.effectClass === 'reconcile' && data['reconciled'] !== true) {
          unreported(effect, 'came to an end without an answer');
        }
        announced.delete(effectId);
        break;
      case 'effect_resolved':
        if (effect === undefined) break;
        if (!isHeld) unreported(effect, 'was decided while nothing was held for it');
        announced.delete(effectId);
        break;
      case 'hold_placed':
        if (data['hold'] === 'in_doubt') isHeld = true;
        break;
      case 'hold_lifted':
        if (data['hold'] === 'in_doubt') isHeld = false;
        break;
      case 'worker_exited':
      case 'writer_opened':
        // Whoever performed it is gone, and has not said what became of it.
        for (const other of announced.values()) other.isInDoubt = true;
        break;
    }
  }
  for (const effect of announced.values()) unreported(effect, 'is left so');
  return problems;
}
