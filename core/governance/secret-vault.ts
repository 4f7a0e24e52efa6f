// All values that a host knows, of every process, present and past: what is never to stand in anything that it writes or
// says [J10]. Only in memory.

import { AppError } from '../model/errors.ts';
import { Scrubber, type Scrub } from '../model/scrubber.ts';
import { valueProblem, type SecretsConfig } from '../model/secrets.ts';
import { readSource, type SourcePlaces } from './secret-sources.ts';

export class SecretVault implements Scrub {
  readonly #scrubber = new Scrubber();
  /** How many know each value: two processes may have the same. */
  readonly #owners = new Map<string, Set<string>>();

  /** One that can't be told from other text is not looked for. */
  know(owner: string, name: string, value: string): void {
    if (valueProblem(value) !== null) return;
    this.#scrubber.know(name, value);
    const owners = this.#owners.get(value) ?? new Set();
    owners.add(owner);
    this.#owners.set(value, owners);
  }

  /** Those of a process that nothing runs, as far as they can be had: what is said about it may hold one. */
  knowSources(owner: string, sources: SecretsConfig['sources'], places: SourcePlaces): void {
    for (const [name, source] of Object.entries(sources)) {
      try {
        this.know(owner, name, readSource(name, source, places));
      } catch (error) {
        // What can't be had here was not typed from here either; the start of the process says what is wrong.
        if (!(error instanceof AppError)) throw error;
      }
    }
  }

  /** What only this owner had is gone from memory, but for what it is known by; with `only`, that one. */
  retire(owner: string, only?: string): void {
    for (const [value, owners] of this.#owners) {
      if ((only !== undefined && value !== only) || !owners.delete(owner) || owners.size > 0) continue;
      this.#owners.delete(value);
      this.#scrubber.retire(value);
    }
  }

  knows(value: string): boolean {
    return this.#scrubber.knows(value);
  }

  text(text: string): string {
    return this.#scrubber.text(text);
  }

  json<T>(value: T): T {
    return this.#scrubber.json(value);
  }
}
