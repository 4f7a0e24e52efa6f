// What was spent when and for what: everything that the fold counted, entry by entry. So it adds up to what the gauges say,
// and asks no price of today [S21].

import { applyEntry, type FoldedEntry } from './fold.ts';
import { textAt, type JsonObject } from './json.ts';
import { isNone, minus, type Amounts } from './meters.ts';
import { JUDGE_NAME } from './mission.ts';
import { emptySnapshot, type ProcessSnapshot } from './snapshot.ts';

export interface CostRow {
  /** When the day of the budget began that it counts for, or which day of UTC it was; empty for none. */
  readonly period: string;
  readonly at: string;
  readonly seq: number;
  /** The event whose run it was of. */
  readonly eventId: string;
  /** `mission.judge` for the judge; empty for what a run left open when it ended, which counts as used. */
  readonly effect: string;
  readonly model: string;
  /** `done`, `did_not_happen`, `in_doubt`, what an operator said, `no verdict`, or `left open`. */
  readonly outcome: string;
  readonly spent: Amounts;
  /** The price table that money was worked out with, and its currency; empty where there is none. */
  readonly prices: string;
  readonly currency: string;
}

/** Entries go in from the first on, in order; what each of them spent comes out. */
export class CostHistory {
  #state: ProcessSnapshot = emptySnapshot();

  feed(entry: FoldedEntry): CostRow | null {
    const { seq, timestamp: at, entry_type: type, data } = entry;
    const before = this.#state.budget;
    const { spent, period } = before;
    const judging = this.#state.mission?.judging ?? null;
    const effectId = textAt(data, 'effect_id');
    const effect = this.#state.open
      .flatMap(({ effects }) => effects)
      .findLast((one) => effectId !== '' && one.effectId === effectId);
    this.#state = applyEntry(this.#state, entry);
    const now = this.#state.budget;
    // A checkpoint says what was spent before, and spends nothing; neither does a run that begins.
    if (
      now.spent === spent ||
      now.period !== period ||
      type === 'checkpoint' ||
      type === 'invocation_start'
    ) {
      return null;
    }
    const more = minus(now.spent, spent);
    if (isNone(more)) return null;
    const judged = type.startsWith('mission_') ? judging : null;
    const call = effect ?? judged;
    const isTold = textAt(data, 'prices') !== '';
    return {
      period: period?.id ?? '',
      at,
      seq,
      eventId: textAt(data, 'event_id') || effectId.slice(0, Math.max(0, effectId.indexOf('/'))),
      effect: judged === null ? (effect?.name ?? '') : JUDGE_NAME,
      model: call?.model ?? '',
      outcome: outcomeOf(type, data, effect !== undefined),
      spent: more,
      prices: isTold ? textAt(data, 'prices') : (call?.prices ?? ''),
      currency: more.money === undefined ? '' : (now.currency ?? ''),
    };
  }
}

function outcomeOf(type: string, data: JsonObject, isOfEffect: boolean): string {
  if (type === 'mission_evaluated') return textAt(data, 'unknown') === '' ? 'done' : 'no verdict';
  return isOfEffect ? textAt(data, 'end') || textAt(data, 'resolution') : 'left open';
}

const COLUMNS: readonly (readonly [heading: string, cell: (row: CostRow) => string | number])[] = [
  ['period', ({ period }) => period],
  ['time', ({ at }) => at],
  ['entry', ({ seq }) => seq],
  ['event', ({ eventId }) => eventId],
  ['effect', ({ effect }) => effect],
  ['outcome', ({ outcome }) => outcome],
  ['model', ({ model }) => model],
  ['effects', ({ spent }) => spent.toolCalls ?? 0],
  ['irreversible', ({ spent }) => spent.irreversible ?? 0],
  ['cost', ({ spent }) => spent.cost ?? 0],
  ['model_calls', ({ spent }) => spent.modelTurns ?? 0],
  ['tokens_in', ({ spent }) => spent.tokensIn ?? 0],
  ['tokens_cached_read', ({ spent }) => spent.tokensCachedRead ?? 0],
  ['tokens_cached_write', ({ spent }) => spent.tokensCachedWrite ?? 0],
  ['tokens_out', ({ spent }) => spent.tokensOut ?? 0],
  ['money', ({ spent }) => spent.money ?? 0],
  ['currency', ({ currency }) => currency],
  ['prices', ({ prices }) => prices],
  ['unpriced_calls', ({ spent }) => spent.unpriced ?? 0],
];

export const COST_HEADINGS: readonly string[] = COLUMNS.map(([heading]) => heading);

/** Its cells, in the order of the headings. */
export function costCells(row: CostRow): readonly (string | number)[] {
  return COLUMNS.map(([, cell]) => cell(row));
}
