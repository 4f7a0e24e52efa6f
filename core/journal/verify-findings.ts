// What a check of a journal finds: damage, which has to be repaired, and notes, which are worth knowing and no damage.

import type { LineFault } from './verify-line.ts';

export type DamageKind =
  | LineFault
  /** A line that does not name the one before it, or has not the number after it. */
  | 'link'
  | 'sequence'
  /** What the journal's head knows durable is not there [S13]. */
  | 'lost-tail'
  /** A segment that nothing says was dropped is not there, or can't be unpacked [S15]. */
  | 'missing-segment'
  | 'segment-unreadable'
  /** A value that an entry names is not there, or not what was written [S16]. */
  | 'missing-spill'
  /** Somebody else's lines among ours, of which no entry tells [S8]. */
  | 'foreign'
  /** Two entries of ours with one id. */
  | 'duplicate-id';

export type NoteKind =
  /** An incomplete last line, which the next start sets aside, or which somebody is writing right now [J6, S9]. */
  | 'torn-tail'
  | 'being-written'
  /** A last batch that was cut short before anybody was told that it is safe [S11]. */
  | 'unfinished-batch'
  /** Lines that nothing vouches for, and that are known for that. */
  | 'foreign-lines'
  | 'repaired-gap'
  | 'dropped-segments'
  | 'lost-spill'
  /** The file for other readers is missing, older, ahead or broken [J8]. */
  | 'checkpoint-file'
  /** Of lines that are not ours. */
  | 'duplicate-id';

/** A place in one process's journal. */
export interface Place {
  /** The number of the line. */
  readonly seq: number;
  /** Its file, relative to the journal's directory. */
  readonly segment: string;
  /** Where it begins in the segment, unpacked, and how long it is, in bytes. */
  readonly offset: number;
  readonly sizeBytes: number;
}

export interface Finding<Kind extends string> extends Place {
  readonly kind: Kind;
  /** What is wrong or worth knowing, to go on a line of its own. */
  readonly reason: string;
}

export type Damage = Finding<DamageKind>;
export type Note = Finding<NoteKind>;

/** More places help nobody; they are counted. */
export const MOST_PLACES = 1_000;

export class Findings {
  readonly damage: Damage[] = [];
  readonly notes: Note[] = [];
  damageCount = 0;
  noteCount = 0;

  add(kind: DamageKind, { seq, segment, offset, sizeBytes }: Place, reason: string): void {
    this.damageCount += 1;
    if (this.damage.length < MOST_PLACES) this.damage.push({ kind, seq, segment, offset, sizeBytes, reason });
  }

  note(kind: NoteKind, { seq, segment, offset, sizeBytes }: Place, reason: string): void {
    this.noteCount += 1;
    if (this.notes.length < MOST_PLACES) this.notes.push({ kind, seq, segment, offset, sizeBytes, reason });
  }
}
