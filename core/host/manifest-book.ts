// What runs by which manifest, and what of the manifests on disk is not in force. A change of a file is noticed and no more.

import { basename, dirname, join } from 'node:path';
import type { ManifestCountsView } from '../contract/manifest-views.ts';
import { MANIFEST_SUFFIX } from '../manifest/load-workspace.ts';
import type { ManifestProblem } from '../manifest/manifest-problems.ts';
import { AppError } from '../model/errors.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { OneAtATime } from '../runtime/one-at-a-time.ts';
import { pendingChanges, type PendingChange } from './manifest-changes.ts';
import { readManifest } from './manifest-files.ts';
import { checkText, hashOf, ManifestScan, type ReadManifest, type RunningManifest } from './manifest-scan.ts';
import { watchManifests } from './manifest-watch.ts';

export interface BookOptions {
  readonly workspace: string;
  readonly running: readonly RunningManifest[];
  /** Others are not in force than before. */
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

export class ManifestBook implements Disposable {
  readonly workspace: string;
  readonly #options: BookOptions;
  readonly #running: Map<string, RunningManifest>;
  readonly #scan: ManifestScan;
  readonly #looks = new OneAtATime();
  readonly #watch: Disposable;
  #manifests: readonly ReadManifest[] = [];
  #pending: readonly PendingChange[] = [];
  /** The modules beside the manifests; null until somebody asks. */
  #code: ReadonlySet<string> | null = null;
  #isBlind = false;

  constructor(options: BookOptions) {
    const { workspace, running, onFailure } = options;
    this.workspace = workspace;
    this.#options = options;
    this.#running = new Map(running.map((one) => [one.definition.name, one]));
    this.#scan = new ManifestScan(workspace, running);
    this.#watch = watchManifests(
      workspace,
      (file) => file.endsWith(MANIFEST_SUFFIX) || this.#isCode(file),
      () => this.#lookByItself(onFailure),
    );
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  /** As of the last look, as everything here. */
  get pending(): readonly PendingChange[] {
    return this.#pending;
  }

  get counts(): ManifestCountsView {
    const faulty = this.#pending.filter(({ kind }) => kind === 'faulty').length;
    return {
      stamp: hashOf(idsOf(this.#pending)).slice(0, 16),
      pending: this.#pending.length - faulty,
      faulty,
    };
  }

  /** Resolves when what is on disk now is known. @throws `workspace.unreadable` */
  look(): Promise<void> {
    return this.#looks.run(async () => {
      const before = idsOf(this.#pending);
      this.#manifests = await this.#scan.look();
      this.#pending = pendingChanges(this.#manifests, this.#running);
      if (idsOf(this.#pending) !== before) this.#options.onChange();
    });
  }

  /** What would not be in force if this stood in a file. */
  pendingWith(file: string, text: string, checked: Checked): PendingChange | null {
    const others = this.#manifests.filter((one) => one.file !== file);
    const planned = pendingChanges(
      [...others, { file, text, hash: hashOf(text), ...checked }],
      this.#running,
    );
    return planned.find((one) => one.file === file && one.kind !== 'removed') ?? null;
  }

  /** A text, and whether another file defines a process of its name. */
  check(file: string, text: string): Checked {
    const { definition, problems } = checkText(this.workspace, file, text);
    const name = definition?.name;
    const other = this.#manifests.find(
      (one) => one.file !== file && one.definition?.name.toLowerCase() === name?.toLowerCase(),
    );
    if (name === undefined || other === undefined) return { definition, problems };
    const message = `${other.file} defines ${JSON.stringify(other.definition!.name)} already. Choose another name.`;
    return { definition: null, problems: [{ path: 'name', line: null, message }] };
  }

  /** Where the manifest of a process lies. @throws `manifest.none` */
  fileOf(process: string): string {
    const file =
      this.#running.get(process)?.file ??
      this.#manifests.find(({ definition }) => definition?.name === process)?.file;
    if (file !== undefined) return file;
    throw new AppError('manifest.none', `There is no manifest of ${process} in this workspace.`, { process });
  }

  /** The process that runs by a file; null where none does. */
  runningBy(file: string): string | null {
    return [...this.#running.values()].find((one) => one.file === file)?.definition.name ?? null;
  }

  /** The process that runs by a file, or else the one that it defines. */
  processOf(file: string): string | null {
    return this.runningBy(file) ?? this.#manifests.find((one) => one.file === file)?.definition?.name ?? null;
  }

  /** Where the manifest of a process that runs lies, absolute. */
  pathOf(process: string): string {
    return join(this.workspace, this.fileOf(process));
  }

  runs(running: RunningManifest): void {
    this.#code = null;
    this.#running.set(running.definition.name, running);
  }

  gone(process: string): void {
    this.#code = null;
    this.#running.delete(process);
  }

  /** A process that came by a manifest of its own, which was just written. */
  began(definition: ProcessDefinition, path: string): void {
    const file = basename(path);
    this.runs({ file, text: readManifest(this.workspace, file)?.text ?? '', definition });
  }

  /** What keeps it from being known is told once, until it is known again. */
  async #lookByItself(onFailure: (error: unknown) => void): Promise<void> {
    try {
      await this.look();
      this.#isBlind = false;
    } catch (error) {
      if (!this.#isBlind) onFailure(error);
      this.#isBlind = true;
    }
  }

  /** Asked for every file of the folder that changes, and there may be many. */
  #isCode(file: string): boolean {
    this.#code ??= new Set(
      [...this.#running.values()]
        .map(({ definition }) => definition.entrypoint)
        .filter((path) => dirname(path) === this.workspace)
        .map((path) => basename(path)),
    );
    return this.#code.has(file);
  }
}

export interface Checked {
  readonly definition: ProcessDefinition | null;
  readonly problems: readonly ManifestProblem[];
}

function idsOf(changes: readonly PendingChange[]): string {
  return changes.map(({ id }) => id).join();
}
