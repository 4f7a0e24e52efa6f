// Which ids of a row come twice, without keeping the ids: in the first round eight bytes stand for each, which tells the
// few that may have been there before; in a second round those alone are compared in full.

/** More are not compared in full: their hashes alone decide, which are wrong once in a thousand million million pairs. */
const MOST_SUSPECTS = 10_000;

export interface Suspects {
  readonly ids: ReadonlySet<string>;
  /** There were more than are kept. */
  readonly isCut: boolean;
}

/** Finds those that may come twice. */
export class SuspectIds {
  readonly #seen = new HashSet();
  readonly #ids = new Set<string>();
  #isCut = false;

  /** Hears each id once for each time that it comes. */
  add(id: string): void {
    if (!this.#seen.add(hashOf(id))) return;
    if (this.#ids.size < MOST_SUSPECTS) this.#ids.add(id);
    else this.#isCut = true;
  }

  get suspects(): Suspects {
    return { ids: this.#ids, isCut: this.#isCut };
  }
}

/** Says which suspects do come twice. */
export class DuplicateIds {
  readonly #suspects: Suspects;
  readonly #first = new Map<string, number>();
  readonly #others: HashSet | null;

  constructor(suspects: Suspects) {
    this.#suspects = suspects;
    this.#others = suspects.isCut ? new HashSet() : null;
  }

  /** The number of the line that had this id first, 0 for one that is not known; null where this is the first. */
  seenAt(id: string, seq: number): number | null {
    if (!this.#suspects.ids.has(id)) return this.#others?.add(hashOf(id)) === true ? 0 : null;
    const first = this.#first.get(id);
    if (first === undefined) this.#first.set(id, seq);
    return first ?? null;
  }

  /** Whether it was there, as far as the suspects tell. */
  has(id: string): boolean {
    return this.#first.has(id);
  }
}

/** Each grows on its own, so that growing never takes long. */
const SHARDS = 64;
const FIRST_SLOTS = 64;

/** Whole numbers from 1 to 2^53 - 1. */
class HashSet {
  readonly #shards: { slots: Float64Array; count: number }[] = Array.from({ length: SHARDS }, () => ({
    slots: new Float64Array(FIRST_SLOTS),
    count: 0,
  }));

  /** True where it was there before. */
  add(hash: number): boolean {
    const shard = this.#shards[hash % SHARDS]!;
    if (!put(shard.slots, hash)) return true;
    shard.count += 1;
    if (shard.count * 2 > shard.slots.length) {
      const old = shard.slots;
      shard.slots = new Float64Array(old.length * 2);
      for (const item of old) if (item !== 0) put(shard.slots, item);
    }
    return false;
  }
}

/** False where it is there already. */
function put(slots: Float64Array, hash: number): boolean {
  const mask = slots.length - 1;
  for (let at = Math.floor(hash / SHARDS) & mask; ; at = (at + 1) & mask) {
    if (slots[at] === hash) return false;
    if (slots[at] === 0) {
      slots[at] = hash;
      return true;
    }
  }
}

/** Of 52 bits, and never 0. */
function hashOf(id: string): number {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0) + 1;
}
