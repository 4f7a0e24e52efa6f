// What of the manifests on disk is not in force: each file against the process that runs by it.

import { createHash } from 'node:crypto';
import type { ManifestChangeView } from '../contract/manifest-views.ts';
import type { ManifestProblem } from '../manifest/manifest-problems.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { manifestDiff, type DiffLine } from './manifest-diff.ts';
import { documentOf, type ReadManifest, type RunningManifest } from './manifest-scan.ts';

export interface PendingChange {
  /** Of exactly this change. */
  readonly id: string;
  readonly file: string;
  /** Null where it can't be read who it is. */
  readonly process: string | null;
  readonly kind: ManifestChangeView['kind'];
  /** Null for what is gone. */
  readonly on: ReadManifest | null;
  readonly running: RunningManifest | null;
  readonly lines: readonly DiffLine[];
  readonly problems: readonly ManifestProblem[];
  /** The process that the same file defined before, or defines now. */
  readonly renamed: string | null;
}

/** In the order of their files. */
export function pendingChanges(
  manifests: readonly ReadManifest[],
  running: ReadonlyMap<string, RunningManifest>,
): readonly PendingChange[] {
  const byFile = new Map([...running.values()].map((one) => [one.file, one]));
  const owners = ownersOf(manifests, running);
  const faulty = new Set<string>();
  const changes: PendingChange[] = [];
  for (const manifest of manifests) {
    const { file, definition } = manifest;
    const owner = definition === null ? undefined : owners.get(definition.name);
    if (definition === null || owner !== file) {
      const before = byFile.get(file) ?? null;
      if (before !== null) faulty.add(before.definition.name);
      const problems = definition === null ? manifest.problems : [taken(definition.name, owner!)];
      changes.push(
        change({ file, kind: 'faulty', process: before?.definition.name ?? null, on: manifest, problems }),
      );
      continue;
    }
    const before = running.get(definition.name) ?? null;
    const renamed = before === null ? (byFile.get(file)?.definition.name ?? null) : null;
    const lines = before?.text === manifest.text ? [] : diffOf(before, manifest);
    if (before !== null && lines.length === 0 && isSame(before.definition, definition)) continue;
    const kind = before === null ? 'added' : 'changed';
    changes.push(
      change({ file, kind, process: definition.name, on: manifest, running: before, lines, renamed }),
    );
  }
  for (const [name, before] of running) {
    // One that can't be read any more goes on as it is.
    if (owners.has(name) || faulty.has(name)) continue;
    const now = manifests.find(({ file }) => file === before.file)?.definition?.name ?? null;
    const lines = diffOf(before, null);
    const { file } = before;
    changes.push(change({ file, kind: 'removed', process: name, running: before, lines, renamed: now }));
  }
  return changes.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
}

/** The file that a process is defined by: of two, the one that it runs by, or the first. */
function ownersOf(
  manifests: readonly ReadManifest[],
  running: ReadonlyMap<string, RunningManifest>,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { file, definition } of manifests) {
    if (definition === null) continue;
    const { name } = definition;
    if (!owners.has(name) || running.get(name)?.file === file) owners.set(name, file);
  }
  return owners;
}

function taken(name: string, owner: string): ManifestProblem {
  const message = `It is called ${JSON.stringify(name)}, and so is ${owner}, which is the one that counts. Rename one of them.`;
  return { path: 'name', line: null, message };
}

/** What is on disk against what runs, where one of them may be missing. */
export function diffOf(
  before: RunningManifest | null,
  now: Pick<ReadManifest, 'text'> | null,
): readonly DiffLine[] {
  return manifestDiff(
    before === null ? undefined : documentOf(before.text),
    now?.text == null ? undefined : documentOf(now.text),
  );
}

function isSame(a: ProcessDefinition, b: ProcessDefinition): boolean {
  return a.configHash === b.configHash && a.codeHash === b.codeHash && a.entrypoint === b.entrypoint;
}

function change(
  given: Pick<PendingChange, 'file' | 'kind' | 'process'> & Partial<PendingChange>,
): PendingChange {
  const { on = null, running = null } = given;
  const facts = [
    given.kind,
    given.file,
    given.process,
    ...[on, running].map((one) => [
      one?.text ?? null,
      one?.definition?.configHash,
      one?.definition?.codeHash,
    ]),
  ];
  const id = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 24);
  return { on, running, lines: [], problems: [], renamed: null, ...given, id };
}
