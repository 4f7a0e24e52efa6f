// The names of files between the cache and the disk. A change of names is durable when the directory of the name is synced;
// until then a crash may leave all changes, none, the first few, or all but one. A rename is one change that happens or does
// not: once the directory of either name is synced, it did.

import type { FileId } from './operations.ts';

/** By path; null stands for a directory. */
export type Names = ReadonlyMap<string, FileId | null>;

interface Change {
  /** The operation that made it. */
  readonly at: number;
  readonly sets: readonly (readonly [path: string, what: FileId | null | undefined])[];
  /** Any of these synced, it is durable. */
  readonly directories: readonly string[];
  isDurable: boolean;
}

export interface NamesChoice {
  readonly names: Names;
  readonly how: string;
}

export class CachedNames {
  readonly #base: Map<string, FileId | null>;
  /** Every change since the oldest that is not durable, in order. */
  readonly #changes: Change[] = [];

  constructor(names: Names) {
    this.#base = new Map(names);
  }

  add(at: number, path: string, what: FileId | null): void {
    this.#put(at, [parentOf(path)], [[path, what]]);
  }

  remove(at: number, path: string): void {
    this.#put(at, [parentOf(path)], [[path, undefined]]);
  }

  rename(at: number, from: string, to: string, file: FileId): void {
    this.#put(
      at,
      [parentOf(from), parentOf(to)],
      [
        [from, undefined],
        [to, file],
      ],
    );
  }

  /** What was done in the directory before the operation `since` is durable. */
  syncDirectory(path: string, since: number): void {
    for (const change of this.#changes)
      change.isDurable ||= change.at < since && change.directories.includes(path);
    for (let [first] = this.#changes; first?.isDurable === true; [first] = this.#changes) {
      apply(this.#base, first);
      this.#changes.shift();
    }
  }

  get isSettled(): boolean {
    return this.#changes.length === 0;
  }

  cached(): Names {
    return this.#with(() => true);
  }

  oldest(): Names {
    return this.#with(() => false);
  }

  /** May repeat itself. */
  *choices(): Generator<NamesChoice> {
    yield { names: this.cached(), how: 'all names' };
    if (this.isSettled) return;
    yield { names: this.oldest(), how: 'old names' };
    for (const at of this.#changes.keys()) {
      yield { names: this.#with((other) => other < at), how: `the first ${at} changes of names` };
      yield { names: this.#with((other) => other !== at), how: `all changes of names but the ${at + 1}.` };
      yield { names: this.#with((other) => other === at), how: `only the ${at + 1}. change of names` };
    }
  }

  random(random: () => number): NamesChoice {
    const keep = random();
    return { names: this.#with(() => random() < keep), how: 'any changes of names' };
  }

  #put(at: number, directories: readonly string[], sets: Change['sets']): void {
    this.#changes.push({ at, sets, directories, isDurable: false });
  }

  #with(isApplied: (change: number) => boolean): Names {
    const names = new Map(this.#base);
    for (const [at, change] of this.#changes.entries()) {
      if (change.isDurable || isApplied(at)) apply(names, change);
    }
    return names;
  }
}

function apply(names: Map<string, FileId | null>, { sets }: Change): void {
  for (const [path, what] of sets) {
    if (what === undefined) names.delete(path);
    else names.set(path, what);
  }
}

/** Empty for what lies in the recorded directory itself. */
function parentOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}
