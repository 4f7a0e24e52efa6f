// What a journal itself tells of the places where its lines do not simply follow each other: what was repaired [S14], what
// was dropped [S15], what somebody else wrote [S8]. The entries that tell it come after those places.

import type { JournalEntry } from '../model/entry.ts';
import { numberAt, objectsAt, textAt, type Json } from '../model/json.ts';

export interface Facts {
  /** Between which two numbers the chain may break, as {@link gapKey} has it. */
  readonly gaps: Set<string>;
  /** The numbers of somebody else's lines. */
  readonly foreign: { readonly from: number; readonly to: number }[];
  /** Values that a repair found missing. */
  readonly lostSpills: Set<string>;
  /** Up to which line everything was dropped, and what the next one says of that line. */
  dropped: { readonly lastSeq: number; readonly hash: string } | null;
}

export function noFacts(): Facts {
  return { gaps: new Set(), foreign: [], lostSpills: new Set(), dropped: null };
}

/** `next` is null where nothing followed. */
export function gapKey(after: number, next: number | null): string {
  return `${after}:${next ?? ''}`;
}

/** Takes in what an entry of ours tells. */
export function learn(facts: Facts, { entry_type, data }: JournalEntry): void {
  switch (entry_type) {
    case 'journal_repaired':
      for (const gap of objectsAt(data, 'gaps')) {
        const next = gap['next'];
        facts.gaps.add(gapKey(numberAt(gap, 'after'), typeof next === 'number' ? next : null));
      }
      for (const id of textsIn(data['lost_spills'])) facts.lostSpills.add(id);
      return;
    case 'foreign_lines':
      facts.foreign.push({ from: numberAt(data, 'from'), to: numberAt(data, 'to') });
      return;
    case 'segments_dropped': {
      const lastSeq = numberAt(data, 'last_seq');
      // The newest speaks for all before it.
      if (lastSeq >= (facts.dropped?.lastSeq ?? 0)) facts.dropped = { lastSeq, hash: textAt(data, 'hash') };
    }
  }
}

function textsIn(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).filter((item) => typeof item === 'string');
}

export function isKnownForeign({ foreign }: Facts, number: number): boolean {
  return foreign.some(({ from, to }) => from <= number && number <= to);
}

/** Whether everything before the line with this number was dropped on purpose; `prev` is what that line says, if it does. */
export function isDropped({ dropped }: Facts, number: number, prev: string | null): boolean {
  if (dropped === null || number > dropped.lastSeq + 1) return false;
  return number <= dropped.lastSeq || prev === null || prev === dropped.hash;
}
