// The manifests of a workspace as they are on disk now. What did not change since the last look is not read again, and a look
// at very many lets others go on in between.

import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import { isInside } from '../manifest/is-inside.ts';
import { checkManifest, manifestsOf } from '../manifest/load-workspace.ts';
import { readableIn } from '../manifest/manifest-document.ts';
import { manifestFileText } from '../manifest/manifest-file.ts';
import { manifestProblems, type ManifestProblem } from '../manifest/manifest-problems.ts';
import { asAppError, codeOf, messageOf } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { checkTriggers } from '../runtime/trigger-list.ts';

/** So many are looked at before others go on. */
const AT_ONCE = 20;

/** What runs, and the text that it was made from. */
export interface RunningManifest {
  readonly file: string;
  readonly text: string;
  readonly definition: ProcessDefinition;
}

/** A manifest's text, and the process that it defines or why it defines none. */
export interface ReadManifest {
  readonly file: string;
  /** Null where it can't be read. */
  readonly text: string | null;
  readonly hash: string | null;
  readonly definition: ProcessDefinition | null;
  /** None where there is a definition. */
  readonly problems: readonly ManifestProblem[];
}

interface Seen {
  /** Changes whenever one of the files does. */
  readonly stamp: string;
  readonly manifest: ReadManifest;
}

export class ManifestScan {
  readonly #directory: string;
  /** Links that led out of the workspace when it was opened, by file, with where to: whoever made them meant it. */
  readonly #known: ReadonlyMap<string, string>;
  /** What was read when it was opened, by file, until it is looked at. */
  readonly #opened: Map<string, RunningManifest>;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(directory: string, running: Iterable<RunningManifest>) {
    this.#directory = directory;
    this.#opened = new Map([...running].map((one) => [one.file, one]));
    this.#known = new Map(
      [...this.#opened.keys()].flatMap((file) => {
        const to = linkedTo(join(directory, file));
        return to === null ? [] : [[file, to] as const];
      }),
    );
  }

  /** All of them, sorted by file. @throws `workspace.unreadable` */
  async look(): Promise<readonly ReadManifest[]> {
    const found = new Map<string, Seen>();
    let count = 0;
    for (const file of manifestsOf(this.#directory)) {
      count += 1;
      if (count % AT_ONCE === 0) await others();
      const before = this.#seen.get(file);
      if (before?.manifest.definition != null && before.stamp === this.#stamp(before.manifest)) {
        found.set(file, before);
        continue;
      }
      const manifest = this.#read(file);
      found.set(file, { stamp: this.#stamp(manifest), manifest });
    }
    this.#seen = found;
    return [...found.values()].map(({ manifest }) => manifest);
  }

  #stamp({ file, definition }: ReadManifest): string {
    const path = join(this.#directory, file);
    const entrypoint = definition?.entrypoint ?? '';
    return [stampOf(path), linkedTo(path) ?? '', entrypoint === '' ? '' : stampOf(entrypoint)].join('|');
  }

  #read(file: string): ReadManifest {
    const path = join(this.#directory, file);
    let text: string;
    try {
      this.#refuseOutside(file, path);
      text = manifestFileText(path);
    } catch (error) {
      const problem = { path: '', line: null, message: `It can't be read: ${messageOf(error)}.` };
      return { file, text: null, hash: null, definition: null, problems: [problem] };
    }
    const opened = this.#opened.get(file);
    this.#opened.delete(file);
    const checked =
      opened?.text === text && isCodeOf(opened.definition)
        ? { file, definition: opened.definition, problems: [] }
        : checkText(this.#directory, file, text);
    return { ...checked, text, hash: hashOf(text) };
  }

  /** What a link shows is shown to whoever edits manifests. */
  #refuseOutside(file: string, path: string): void {
    const to = linkedTo(path);
    if (to === null || to === this.#known.get(file)) return;
    if (!isInside(realpathSync(this.#directory), to)) throw new Error('it is a link out of the workspace');
  }
}

/** The process that a text defines, or all that is wrong with it. */
export function checkText(
  directory: string,
  file: string,
  text: string,
): Pick<ReadManifest, 'file' | 'definition' | 'problems'> {
  const path = join(directory, file);
  try {
    const definition = checkManifest(directory, path, text);
    checkTriggers(definition.config.triggers);
    return { file, definition, problems: [] };
  } catch (error) {
    const { message } = asAppError(error);
    const problems = manifestProblems(directory, path, text);
    const said = problems.length === 0 ? [{ path: '', line: null, message }] : problems;
    return { file, definition: null, problems: said };
  }
}

/** Its settings, as far as they can be made out; undefined for what is no YAML at all. */
export function documentOf(text: string): Json | undefined {
  const value = readableIn(text);
  try {
    return value === undefined ? undefined : recordable(value, 'a manifest');
  } catch {
    // What is wrong with it is told by whoever checks it.
    return undefined;
  }
}

/** Whether its code is still what it was. */
function isCodeOf({ entrypoint, codeHash }: ProcessDefinition): boolean {
  if (entrypoint === '') return true;
  try {
    return hashOf(readFileSync(entrypoint)) === codeHash;
  } catch {
    // Why it can't be read is told by whoever checks it.
    return false;
  }
}

/** SHA-256, in hex. */
export function hashOf(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where a link leads; null for what is none. */
export function linkedTo(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : null;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : '';
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch (error) {
    return codeOf(error);
  }
}
