// S16 A value that lies outside of its entry is where the entry says, and what was written.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { codeOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpillReference } from '../model/ports.ts';
import { spillsDirectory, spillsNamedIn } from './spills.ts';
import type { Facts } from './verify-facts.ts';
import type { Findings, Place } from './verify-findings.ts';

export class SpillCheck {
  readonly #directory: string;
  readonly #name: string;
  readonly #facts: Facts;
  readonly #found: Findings;
  /** Told once, though a checkpoint names what an entry brought. */
  readonly missing = new Set<string>();

  constructor(directory: string, name: string, facts: Facts, found: Findings) {
    this.#directory = directory;
    this.#name = name;
    this.#facts = facts;
    this.#found = found;
  }

  async check(data: JsonObject, place: Place): Promise<void> {
    // Dropped, and a crash came before its segment was removed: what it names is gone already.
    if (place.seq <= (this.#facts.dropped?.lastSeq ?? 0)) return;
    for (const reference of spillsNamedIn(data)) {
      if (this.missing.has(reference.id)) continue;
      const trouble = await whyLost(
        join(spillsDirectory(this.#directory, this.#name), reference.id),
        reference,
      );
      if (trouble === null) continue;
      this.missing.add(reference.id);
      const folder = relative(this.#directory, spillsDirectory(this.#directory, this.#name));
      const what = `names a value of ${reference.bytes} bytes in ${folder.split(sep).join('/')}/${reference.id} that ${trouble}`;
      if (this.#facts.lostSpills.has(reference.id))
        this.#found.note('lost-spill', place, `${what}, as a repair recorded`);
      else this.#found.add('missing-spill', place, what);
    }
  }
}

async function whyLost(path: string, { sha256 }: SpillReference): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'is not there';
    throw error;
  }
  return hash.digest('hex') === sha256 ? null : 'is not what was written';
}
