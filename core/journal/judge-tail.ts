// What a writer finds behind the last full checkpoint, and what it is.
//
// S11 Damage that no later valid line and no head acknowledges is an unfinished batch, which nobody was told about; any
//     other damage is real, and is never cut.
// S8  Lines without our keys at the end, behind lines of ours, are somebody else's.

import { damageOf } from '../model/damage.ts';
import type { BadLine } from '../model/entry.ts';
import { isBad } from '../model/entry.ts';
import { decodeLine } from './codec.ts';
import { journalLines, lastFullCheckpoint, type Place } from './read-entries.ts';

export interface Verdict {
  /** Where an unfinished batch begins, and its first line; null where there is none. */
  readonly unfinished: (Place & { readonly damage: BadLine }) | null;
  /** Real damage. */
  readonly damage: readonly BadLine[];
  /** The numbers of somebody else's lines at the end, or before the unfinished batch, that no entry tells of yet. */
  readonly foreign: { readonly from: number; readonly to: number } | null;
}

/** Whoever waits for the journal is not the only one on this thread. */
const LINES_A_TURN = 5_000;

/** `acknowledged` is the highest number that a head knows durable. */
export async function judgeTail(directory: string, name: string, acknowledged: number): Promise<Verdict> {
  const base = lastFullCheckpoint(directory, name);
  const damage: BadLine[] = [];
  let firstAt: Place | null = null;
  let firstSeq = 0;
  let last: number | null = null;
  let lines = 0;
  let isAcknowledged = false;
  let hasOurs = false;
  let foreign: Verdict['foreign'] = null;
  let foreignBefore: Verdict['foreign'] = null;
  let isBase = base !== null;
  for (const { segment, isActive, line, item } of journalLines(directory, name, base)) {
    const bad = damageOf(item);
    if ((lines += 1) % LINES_A_TURN === 0) await new Promise((resolve) => void setImmediate(resolve));
    last ??= segment - 1;
    // A checkpoint at which reading begins stands for all before it: its link does not matter.
    if (bad !== null && !(isBase && !isBad(item))) {
      damage.push(bad);
      if (firstAt === null) {
        firstAt = { first: segment, isActive, offset: line.offset };
        firstSeq = last + 1;
        foreignBefore = foreign;
        isAcknowledged = acknowledged >= firstSeq;
      }
    }
    if (firstAt !== null && !isAcknowledged) {
      const decoded = decodeLine(line.bytes);
      isAcknowledged = decoded.ok && decoded.fault !== 'checksum' && (decoded.keys?.ack ?? 0) >= firstSeq;
    }
    isBase = false;
    if (isBad(item) || item.verification === 'broken') continue;
    // The numbers of somebody else's lines in between are not those that our lines acknowledge.
    if (item.verification === 'verified' || !hasOurs) last = item.seq;
    if (item.verification === 'verified') {
      hasOurs = true;
      foreign = null;
    } else if (hasOurs) foreign = { from: startOf(foreign) ?? item.seq, to: item.seq };
  }
  if (firstAt === null) return { unfinished: null, damage: [], foreign };
  return isAcknowledged
    ? { unfinished: null, damage, foreign: null }
    : { unfinished: { ...firstAt, damage: damage[0]! }, damage: [], foreign: foreignBefore };
}

function startOf(foreign: Verdict['foreign']): number | undefined {
  return foreign?.from;
}
