// The effects of a process as far as they are known here: those of open invocations as the host tells them, and those
// of invocations that ended, from the part of the journal that has been read. Pure.

import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { TimelineRow } from '../../../core/contract/timeline-views.ts';
import type { EffectView } from '../../../core/contract/work-views.ts';
import { endOf } from '../../ui/work-look.ts';

/** What stands in entries that were not read is unknown, and null [P5]. */
export interface LedgerRow {
  readonly effectId: string;
  readonly name: string;
  readonly effectClass: string | null;
  readonly key: string | null;
  readonly argsPreview: string | null;
  readonly attempts: number | null;
  readonly announcedAt: string | null;
  readonly end: EffectView['end'];
  readonly error: string;
  readonly eventId: string;
  /** Of an open invocation: the effect as the host tells it, and what it is decided by. */
  readonly open: { readonly invocation: number; readonly effect: EffectView } | null;
}

export type EndFilter = EffectView['end'] | 'all';

/** Newest first: what is open, then what the read part of the journal tells of others. */
export function ledgerOf(open: ProcessDetail['open'], rows: readonly TimelineRow[]): readonly LedgerRow[] {
  const known = open.flatMap(({ eventId, invocation, effects }) =>
    effects.map((effect): LedgerRow => ({
      ...effect,
      end: endOf(effect),
      eventId,
      open: { invocation, effect },
    })),
  );
  const ids = new Set(known.map(({ effectId }) => effectId));
  const events = new Set(open.map(({ eventId }) => eventId));
  const recent = recentEffects(rows).filter(
    ({ effectId, eventId }) => !ids.has(effectId) && !events.has(eventId),
  );
  return [...known.toSorted(byAnnouncement), ...recent];
}

export function countEnds(ledger: readonly LedgerRow[]): Readonly<Record<EndFilter, number>> {
  const counts = { all: ledger.length, open: 0, done: 0, did_not_happen: 0, in_doubt: 0 };
  for (const { end } of ledger) counts[end] += 1;
  return counts;
}

function byAnnouncement(a: LedgerRow, b: LedgerRow): number {
  const [left, right] = [a.announcedAt ?? '', b.announcedAt ?? ''];
  return left === right ? 0 : left < right ? 1 : -1;
}

/** Newest first, by the entry that told of each last. */
function recentEffects(rows: readonly TimelineRow[]): readonly LedgerRow[] {
  const effects = new Map<string, LedgerRow>();
  for (const row of rows.toReversed()) {
    const told = toldBy(row, effects);
    if (told === null) continue;
    effects.delete(told.effectId);
    effects.set(told.effectId, told);
  }
  return [...effects.values()].reverse();
}

function toldBy(row: TimelineRow, effects: ReadonlyMap<string, LedgerRow>): LedgerRow | null {
  if (!/^effect_(started|finished|resolved|value_lost|expired)$/.test(row.type)) return null;
  const data = dataOf(row);
  const effectId = data('effect_id');
  if (effectId === null) return null;
  const before = effects.get(effectId) ?? unknownEffect(effectId, row.eventId ?? '');
  switch (row.type) {
    case 'effect_started':
      return {
        ...before,
        name: data('name') ?? before.name,
        effectClass: data('class'),
        key: data('key'),
        argsPreview: data('args_preview'),
        attempts: Number(data('attempt') ?? 1),
        announcedAt: before.announcedAt ?? row.at,
        // Until it is told how it ended; the invocation is over, so nobody performs it any more.
        end: 'in_doubt',
        error: '',
      };
    case 'effect_finished':
      return { ...before, end: endNamed(data('end')), error: data('error') ?? '' };
    case 'effect_resolved':
      return data('resolution') === 'did_not_happen'
        ? { ...before, end: 'did_not_happen', error: data('reason') ?? '' }
        : { ...before, end: 'done', error: '' };
    default:
      return { ...before, end: 'in_doubt', error: row.summary };
  }
}

function endNamed(end: string | null): EffectView['end'] {
  return end === 'done' || end === 'did_not_happen' ? end : 'in_doubt';
}

/** Only its end was read: its announcement lies further back. */
function unknownEffect(effectId: string, eventId: string): LedgerRow {
  const name = effectId.slice(effectId.indexOf('/') + 1).replace(/#\d+$/, '');
  return {
    effectId,
    name,
    effectClass: null,
    key: null,
    argsPreview: null,
    attempts: null,
    announcedAt: null,
    end: 'in_doubt',
    error: '',
    eventId,
    open: null,
  };
}

/** Texts and numbers of an entry's data, also where the host cut it somewhere behind them. */
function dataOf({ dataText }: TimelineRow): (key: string) => string | null {
  return (key) => {
    const found = new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|-?\\d+)`).exec(dataText)?.[1];
    if (found === undefined) return null;
    const value: unknown = parsed(found);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text of a hostile journal that no parser takes is one that is not known.
    return null;
  }
}
