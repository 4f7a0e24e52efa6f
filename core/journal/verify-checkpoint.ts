// J8  The checkpoint file is for other readers, and nothing is lost with it: whatever is wrong with it is a note.
// S19 In a journal that is not ours it may be ahead of the lines.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf } from '../model/checkpoint.ts';
import { sameJson, type JsonObject } from '../model/json.ts';
import { readCheckpointFile } from './checkpoint-file.ts';
import { checkpointFile } from './process-files.ts';
import type { Findings, Place } from './verify-findings.ts';

export class CheckpointCheck {
  /** The newest checkpoint line. */
  last: { readonly data: JsonObject; readonly place: Place } | null = null;
  readonly #file: string;
  readonly #path: string;
  readonly #sizeBytes: number | null;
  readonly #state: JsonObject | null;
  /** The newest line that says the same. */
  #sameAs: Place | null = null;

  constructor(directory: string, process: string) {
    this.#file = checkpointFile(process);
    this.#path = join(directory, this.#file);
    this.#sizeBytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? null;
    this.#state = readCheckpointFile(directory, process);
  }

  take(data: JsonObject, place: Place): void {
    this.last = { data, place };
    if (this.#state !== null && sameJson(this.#state, stateOf(data))) this.#sameAs = place;
  }

  end(found: Findings, isOurs: boolean, isFresh: (path: string) => boolean): void {
    const reason = this.#reason(isOurs);
    if (reason === null) return;
    const place = {
      seq: this.last?.place.seq ?? 0,
      segment: this.#file,
      offset: 0,
      sizeBytes: this.#sizeBytes ?? 0,
    };
    if (this.#sizeBytes !== null && isFresh(this.#path))
      found.note('being-written', place, 'the checkpoint file changed just now');
    else found.note('checkpoint-file', place, reason);
  }

  #reason(isOurs: boolean): string | null {
    if (this.#sizeBytes === null)
      return this.last === null
        ? null
        : 'there is no checkpoint file; other readers start from the beginning';
    if (this.#state === null) return 'the checkpoint file is broken; nothing is lost by it';
    if (this.#sameAs === null)
      return isOurs
        ? 'the checkpoint file says what no checkpoint line says, and is ignored'
        : 'the checkpoint file is newer than every line, so recovery begins with it';
    return this.#sameAs.seq === this.last?.place.seq
      ? null
      : `the checkpoint file is as old as entry ${this.#sameAs.seq}, and is not used`;
  }
}
