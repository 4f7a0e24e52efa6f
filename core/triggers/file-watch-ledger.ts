// [A11] [P1] What was last told of every file, what was last seen of it, and since when the two differ. Nothing is
// ever dropped: a change that could not be told stays a difference, and what comes later is merged with it. As large
// as there are files, and files that were.

import { basename, dirname } from 'node:path';
import type { FileEvent } from '../model/trigger-config.ts';
import { identityOf, isMoved, isSame, netEvent, type FileChange, type Print } from './file-watch-change.ts';

export interface LedgerRules {
  readonly events: readonly FileEvent[];
  /** A path is told of when nothing happened to it for so long... */
  readonly settleMs: number;
  /** ...or at last, when something goes on happening to it. */
  readonly longestMs: number;
  readonly trustsInodes: boolean;
}

interface Pending {
  /** Monotonic. */
  readonly since: number;
  last: number;
  /** The look at everything that had begun last when the path came to be there, or gone. */
  look: number;
  readonly events: Set<FileEvent>;
}

interface Entry {
  readonly path: string;
  told: Print | null;
  seen: Print | null;
  pending: Pending | null;
  /** It is being told. */
  isBusy: boolean;
  /** What it may be the other half of a move by. */
  half: { readonly of: Map<string, Set<Entry>>; readonly identity: string } | null;
}

/** A change that is being told; its paths wait meanwhile. */
export interface Telling {
  readonly change: FileChange;
  /** The sink has it: what comes now is another change. */
  readonly done: () => void;
  /** It stays, and is told later with what has come to it since. */
  readonly refused: () => void;
}

export class FileLedger {
  readonly #rules: LedgerRules;
  readonly #folders = new Map<string, Map<string, Entry>>();
  /** In the order in which they were noticed, or refused. */
  readonly #pending = new Map<string, Entry>();
  readonly #gone = new Map<string, Set<Entry>>();
  readonly #appeared = new Map<string, Set<Entry>>();
  #count = 0;
  #looksBegun = 0;
  #looksEnded = 0;
  #wantsLook = false;
  /** Nothing comes ripe before. */
  #quietUntil = 0;

  constructor(rules: LedgerRules) {
    this.#rules = rules;
  }

  /** Files that are known, those that are gone and to be told of among them. */
  get files(): number {
    return this.#count;
  }

  get pending(): number {
    return this.#pending.size;
  }

  get folders(): readonly string[] {
    return [...this.#folders.keys()];
  }

  namesIn(folder: string): readonly string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])];
  }

  /** Takes a file as it is, without telling of it. */
  take(path: string, print: Print): void {
    const entry = this.#entryOf(path);
    entry.told = print;
    entry.seen = print;
  }

  /** What is at a path now; null for no file. */
  saw(path: string, print: Print | null, now: number): void {
    const known = this.#folders.get(dirname(path))?.get(basename(path));
    if (known === undefined && print === null) return;
    const entry = known ?? this.#entryOf(path);
    const { seen } = entry;
    if (isSame(seen, print, this.#rules.trustsInodes)) return;
    entry.seen = print;
    entry.pending ??= { since: now, last: now, look: this.#looksBegun, events: new Set() };
    entry.pending.last = now;
    entry.pending.events.add(seen === null ? 'created' : print === null ? 'deleted' : 'modified');
    if ((seen === null) !== (print === null)) entry.pending.look = this.#looksBegun;
    this.#pending.set(path, entry);
    this.#quietUntil = Math.min(this.#quietUntil, now + this.#rules.settleMs);
    this.#index(entry);
  }

  /** A look at every path begins. */
  lookBegins(): void {
    this.#looksBegun += 1;
    this.#wantsLook = false;
  }

  /** It has ended: what was noticed before it began is known from all sides. */
  lookEnds(): void {
    this.#looksEnded = this.#looksBegun;
    this.#quietUntil = 0;
  }

  /** Something waits for another look at everything. */
  get wantsLook(): boolean {
    return this.#wantsLook;
  }

  /** When something may come ripe, monotonic; `Infinity` for never, unless more is seen. */
  get nextAt(): number {
    return this.#pending.size === 0 ? Number.POSITIVE_INFINITY : this.#quietUntil;
  }

  /** At most `limit` paths that may be told of now, with their other halves; to be looked at once more before. */
  ripe(limit: number, now: number): readonly string[] {
    if (now < this.#quietUntil) return [];
    const paths = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#pending.values()) {
      if (entry.isBusy) continue;
      const other = this.#otherHalf(entry);
      if (other === null && this.#mayHaveOtherHalf(entry)) continue;
      const at = Math.max(this.#ripeAt(entry), other === null ? 0 : this.#ripeAt(other));
      if (at > now) {
        next = Math.min(next, at);
        continue;
      }
      paths.add(entry.path);
      if (other !== null) paths.add(other.path);
      if (paths.size >= limit) return [...paths];
    }
    if (paths.size === 0) this.#quietUntil = next;
    return [...paths];
  }

  /** Begins to tell of those of the paths that are ripe; what comes to nothing is forgotten. */
  tell(paths: readonly string[], now: number): readonly Telling[] {
    const tellings: Telling[] = [];
    for (const path of paths) {
      const entry = this.#pending.get(path);
      if (entry === undefined || entry.isBusy || this.#ripeAt(entry) > now) continue;
      const telling = this.#begin(entry, now);
      if (telling !== null) tellings.push(telling);
    }
    return tellings;
  }

  #begin(entry: Entry, now: number): Telling | null {
    const { told, seen } = entry;
    const event = netEvent(told, seen, this.#rules.trustsInodes);
    const other = event === null ? null : this.#otherHalf(entry);
    if (other === null && this.#mayHaveOtherHalf(entry)) return null;
    if (other !== null) {
      if (this.#ripeAt(other) > now) return null; // it is still changing, or could be
      const [from, to] = entry.seen === null ? [entry, other] : [other, entry];
      return this.#telling('moved', to, to.seen!, from);
    }
    if (event === null || !this.#rules.events.includes(event)) {
      this.#settle(entry, seen);
      return null;
    }
    return this.#telling(event, entry, (seen ?? told)!, null);
  }

  #telling(event: FileEvent, entry: Entry, print: Print, from: Entry | null): Telling {
    const both = from === null ? [entry] : [entry, from];
    for (const each of both) {
      each.isBusy = true;
      this.#index(each);
    }
    const seen = new Set<FileEvent>([...(from?.pending!.events ?? []), ...entry.pending!.events, event]);
    const change: FileChange = {
      event,
      path: entry.path,
      print,
      oldPath: from?.path ?? null,
      events: [...seen],
    };
    const end = (): void => {
      for (const each of both) each.isBusy = false;
      this.#quietUntil = 0; // whatever could not be paired while it was busy may be now
    };
    const toldAs = entry.seen;
    return {
      change,
      done: () => {
        end();
        this.#settle(entry, toldAs);
        if (from !== null) this.#settle(from, null);
      },
      refused: () => {
        end();
        // Behind the others, so that one that is always refused does not stop them.
        for (const each of both) {
          this.#pending.delete(each.path);
          this.#pending.set(each.path, each);
          this.#index(each);
        }
      },
    };
  }

  /** It was told as `print`; what differs from that has come since, and is a change of its own. */
  #settle(entry: Entry, print: Print | null): void {
    const { path, seen, pending } = entry;
    entry.told = print;
    const event = netEvent(print, seen, this.#rules.trustsInodes);
    if (event === null) {
      this.#pending.delete(path);
      entry.pending = null;
      // The newest of two that count as the same.
      entry.told = seen;
      if (seen === null) this.#forget(entry);
    } else {
      const look = this.#looksBegun;
      entry.pending = { ...pending!, since: pending!.last, look, events: new Set([event]) };
    }
    this.#index(entry);
  }

  #ripeAt({ pending }: Entry): number {
    const { settleMs, longestMs } = this.#rules;
    return Math.min(pending!.last + settleMs, pending!.since + longestMs);
  }

  /** What is gone here appeared there, or the other way round. */
  #otherHalf(entry: Entry): Entry | null {
    if (entry.half === null) return null;
    const others = (entry.half.of === this.#gone ? this.#appeared : this.#gone).get(entry.half.identity);
    for (const other of others ?? []) {
      const [gone, appeared] = entry.seen === null ? [entry, other] : [other, entry];
      if (isMoved(gone.told!, appeared.seen!)) return other;
    }
    return null;
  }

  /** Where a file was moved to, or from, may be noticed later than this; a look at everything finds it. */
  #mayHaveOtherHalf({ half, pending }: Entry): boolean {
    return half !== null && this.#looksEnded <= pending!.look;
  }

  #index(entry: Entry): void {
    if (!this.#rules.events.includes('moved')) return;
    const { half, told, seen, isBusy } = entry;
    if (half !== null) {
      const halves = half.of.get(half.identity)!;
      halves.delete(entry);
      if (halves.size === 0) half.of.delete(half.identity);
      entry.half = null;
    }
    const isHalf = !isBusy && (told === null) !== (seen === null);
    if (!isHalf) return;
    const of = seen === null ? this.#gone : this.#appeared;
    const identity = identityOf((seen ?? told)!);
    entry.half = { of, identity };
    this.#wantsLook ||= this.#mayHaveOtherHalf(entry);
    const halves = of.get(identity) ?? new Set();
    of.set(identity, halves.add(entry));
  }

  #entryOf(path: string): Entry {
    const folder = dirname(path);
    const files = this.#folders.get(folder) ?? new Map<string, Entry>();
    this.#folders.set(folder, files);
    const known = files.get(basename(path));
    if (known !== undefined) return known;
    const entry: Entry = { path, told: null, seen: null, pending: null, isBusy: false, half: null };
    files.set(basename(path), entry);
    this.#count += 1;
    return entry;
  }

  #forget({ path }: Entry): void {
    const files = this.#folders.get(dirname(path));
    if (files?.delete(basename(path)) !== true) return;
    this.#count -= 1;
    if (files.size === 0) this.#folders.delete(dirname(path));
  }
}
