// One file between the page cache and the disk.
//
// What the running system sees is the cache. What is on the disk of what was not synced, nobody promises: each page may
// be there as it was at any moment since the last sync, in whole or sector by sector, and so may the size, independent of
// the pages. A size that got there without its pages shows zeros. A sync settles what it covers. A sync that fails
// marks its pages clean all the same: no later sync brings them to the disk, until they are written to again.

import { below } from './random.ts';

export const PAGE_BYTES = 4096;
export const SECTOR_BYTES = 512;
/** Growth up to this is cut at every byte; larger growth at sectors and around line feeds. */
const SHORT_BYTES = 700;
/** Of a long growth, not every cut and every part is another case. */
const MOST_CUTS = 1_000;
const MOST_PARTS = 40;
/** With more, sizes meet only the oldest and the newest pages. */
const FEW_MOMENTS = 4;

interface Version<T> {
  /** The operation that made it. */
  readonly at: number;
  readonly value: T;
}

interface Page {
  /** Oldest first; the last is the cache's. More than one: it is open which of them is on the disk. */
  versions: Version<Buffer>[];
  /** The first operation that a sync has to bring to the disk; null where the cache believes that none is left. */
  dirtySince: number | null;
}

/** One thing that may be on the disk, built when it is asked for; while the file is as it is. */
export interface Content {
  readonly bytes: () => Buffer;
  readonly how: string;
}

const BEFORE = -1;

export class CachedFile {
  readonly #pages: Page[] = [];
  #sizes: Version<number>[];
  #cached: Buffer | null = null;
  #oldest: Buffer | null = null;

  /** A file that is on the disk as it is here. */
  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#sizes = [{ at: BEFORE, value: 0 }];
    this.write(BEFORE, 0, bytes);
    this.sync(0);
  }

  /** False while it is open what of it is on the disk. */
  get isSettled(): boolean {
    return this.#sizes.length === 1 && this.#pages.every((page) => page.versions.length === 1);
  }

  write(at: number, offset: number, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#cached = null;
    const end = offset + bytes.length;
    for (let page = Math.floor(offset / PAGE_BYTES); page * PAGE_BYTES < end; page += 1) {
      const start = page * PAGE_BYTES;
      const next = Buffer.from(this.#newest(page));
      const from = Math.max(offset, start);
      bytes.copy(next, from - start, from - offset, Math.min(end, start + PAGE_BYTES) - offset);
      this.#put(at, page, next);
    }
    if (end > this.#size) this.#sizes.push({ at, value: end });
  }

  truncate(at: number, sizeBytes: number): void {
    this.#cached = null;
    for (let page = Math.floor(sizeBytes / PAGE_BYTES); page < this.#pages.length; page += 1) {
      const next = Buffer.from(this.#newest(page));
      next.fill(0, Math.max(0, sizeBytes - page * PAGE_BYTES));
      if (!next.equals(this.#newest(page))) this.#put(at, page, next);
    }
    if (sizeBytes !== this.#size) this.#sizes.push({ at, value: sizeBytes });
  }

  /** What was done before the operation `since` is on the disk. */
  sync(since: number): void {
    this.#oldest = null;
    for (const page of this.#pages) {
      if (page.dirtySince === null || page.dirtySince >= since) continue;
      page.versions = settled(page.versions, since);
      page.dirtySince = dirtyFrom(page.versions, since);
    }
    this.#sizes = settled(this.#sizes, since);
  }

  failSync(since: number): void {
    for (const page of this.#pages) {
      if (page.dirtySince === null || page.dirtySince >= since) continue;
      page.dirtySince = dirtyFrom(page.versions, since);
    }
  }

  /** As the running system sees it. The same buffer until the file changes. */
  cached(): Buffer {
    return (this.#cached ??= this.#build(this.#size, (page) => page.versions.length - 1));
  }

  /** As it was when it was last settled. The same buffer until it is settled anew. */
  oldest(): Buffer {
    return (this.#oldest ??= this.isSettled ? this.cached() : this.#build(this.#sizes[0]!.value, () => 0));
  }

  /** What may be on the disk: each single thing that can go wrong, alone. May repeat itself. */
  *contents(): Generator<Content> {
    yield { bytes: () => this.cached(), how: 'all written' };
    yield { bytes: () => this.oldest(), how: 'nothing written' };
    if (this.isSettled) return;
    for (const at of this.#moments()) {
      const bytes = (): Buffer =>
        this.#build(newestAt(this.#sizes, at), (page) => indexAt(page.versions, at));
      yield { bytes, how: `as after operation ${at}` };
    }
    yield* this.#cuts();
    yield* this.#sizesWithOtherPages();
    yield* this.#parts(PAGE_BYTES, 'page');
    yield* this.#parts(SECTOR_BYTES, 'sector');
  }

  /** Any size with any sectors: what the disk did in whatever order it liked. */
  random(random: () => number): Content {
    const size = this.#sizes[below(random, this.#sizes.length)]!.value;
    const keep = random();
    const bytes = (): Buffer =>
      this.#build(size, (page) =>
        random() < keep ? page.versions.length - 1 : below(random, page.versions.length),
      );
    return { bytes, how: `size ${size} and any sectors` };
  }

  /** The growth cut short: at every byte where it is short, else at every sector and around every line's end. */
  *#cuts(): Generator<Content> {
    const from = Math.min(...this.#sizes.map((size) => size.value));
    const all = this.cached();
    for (const end of cutsOf(all, from)) yield { bytes: () => all.subarray(0, end), how: `cut at ${end}` };
  }

  *#sizesWithOtherPages(): Generator<Content> {
    const moments = this.#moments();
    const few = moments.length <= FEW_MOMENTS ? moments : [moments[0]!, moments.at(-1)!];
    for (const { value } of this.#sizes) {
      for (const at of few) {
        const bytes = (): Buffer => this.#build(value, (page) => indexAt(page.versions, at));
        yield { bytes, how: `size ${value} with the pages as after operation ${at}` };
      }
    }
  }

  /** With the size grown: single parts lost, single parts kept, everything lost before one, everything from one on. */
  *#parts(partBytes: number, name: string): Generator<Content> {
    const open = evenly(this.#openParts(partBytes), MOST_PARTS);
    const build = (isKept: (part: number) => boolean) => (): Buffer =>
      this.#build(this.#size, (page, offset) =>
        isKept(Math.floor(offset / partBytes)) ? page.versions.length - 1 : 0,
      );
    for (const part of open) {
      yield { bytes: build((other) => other !== part), how: `${name} ${part} lost` };
      yield { bytes: build((other) => other === part), how: `only ${name} ${part} kept` };
      yield { bytes: build((other) => other < part), how: `everything lost from ${name} ${part} on` };
      yield { bytes: build((other) => other >= part), how: `everything lost before ${name} ${part}` };
    }
  }

  /** The parts that differ between the disk and the cache. */
  #openParts(partBytes: number): readonly number[] {
    const [oldest, cached] = [this.oldest(), this.cached()];
    const parts: number[] = [];
    for (let at = 0; at < Math.max(oldest.length, cached.length); at += partBytes) {
      const end = at + partBytes;
      if (!oldest.subarray(at, end).equals(cached.subarray(at, end))) parts.push(at / partBytes);
    }
    return parts;
  }

  /** The operations after which it was as no other left it, in order. */
  #moments(): readonly number[] {
    const versions = [...this.#sizes, ...this.#pages.flatMap((page) => page.versions)];
    return [...new Set(versions.map(({ at }) => at))].sort((a, b) => a - b);
  }

  get #size(): number {
    return this.#sizes.at(-1)!.value;
  }

  #newest(page: number): Buffer {
    while (this.#pages.length <= page) {
      this.#pages.push({ versions: [{ at: BEFORE, value: Buffer.alloc(PAGE_BYTES) }], dirtySince: null });
    }
    return this.#pages[page]!.versions.at(-1)!.value;
  }

  #put(at: number, index: number, value: Buffer): void {
    const page = this.#pages[index]!;
    page.versions.push({ at, value });
    page.dirtySince ??= at;
  }

  #build(size: number, pick: (page: Page, offset: number) => number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let offset = 0; offset < size; offset += SECTOR_BYTES) {
      const page = this.#pages[Math.floor(offset / PAGE_BYTES)];
      if (page === undefined) continue;
      const version = page.versions[page.versions.length === 1 ? 0 : pick(page, offset)]!;
      const within = offset % PAGE_BYTES;
      version.value.copy(bytes, offset, within, within + Math.min(SECTOR_BYTES, size - offset));
    }
    return bytes;
  }
}

/** Where bytes that were added from `from` on may end. */
export function cutsOf(bytes: Buffer, from: number): readonly number[] {
  const cuts = new Set<number>();
  const isShort = bytes.length - from <= SHORT_BYTES;
  for (let end = from + 1; end < bytes.length; end += 1) {
    const isEdge =
      end % SECTOR_BYTES === 0 || [bytes[end - 2], bytes[end - 1], bytes[end]].includes(LINE_FEED);
    if (isShort || isEdge) cuts.add(end);
  }
  return evenly([...cuts], MOST_CUTS);
}

/** At most so many, spread over all of them. */
function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, n) => items[Math.floor((n * (items.length - 1)) / (most - 1))]!);
}

function settled<T>(versions: readonly Version<T>[], since: number): Version<T>[] {
  const first = versions.findLastIndex((version) => version.at < since);
  return versions.slice(Math.max(0, first));
}

function dirtyFrom(versions: readonly Version<Buffer>[], since: number): number | null {
  return versions.find((version) => version.at >= since)?.at ?? null;
}

function indexAt<T>(versions: readonly Version<T>[], at: number): number {
  return Math.max(
    0,
    versions.findLastIndex((version) => version.at <= at),
  );
}

function newestAt<T>(versions: readonly Version<T>[], at: number): T {
  return versions[indexAt(versions, at)]!.value;
}

const LINE_FEED = 10;
