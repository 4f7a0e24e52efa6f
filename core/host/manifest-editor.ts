// Manifests as people edit them: read, tried, saved and thrown away. What is saved is a change like any other.

import { join } from 'node:path';
import type { ManifestPlanView, ManifestTextView, ManifestWrittenView } from '../contract/manifest-views.ts';
import type { RequestOf } from '../contract/requests.ts';
import { manifestNotes } from '../manifest/manifest-problems.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { Scrub } from '../model/scrubber.ts';
import type { AgentRuntime } from '../runtime/agent-runtime.ts';
import { cut, cutOrNull } from './cut.ts';
import type { ManifestBook } from './manifest-book.ts';
import { lineViews, problemViews } from './manifest-change-views.ts';
import type { PendingChange } from './manifest-changes.ts';
import { manifestDiff } from './manifest-diff.ts';
import { readManifest, refuseSecrets, trashManifest, writeManifest } from './manifest-files.ts';
import { recordAsked, recordOutcome } from './manifest-records.ts';
import type { ManifestReloads, Order } from './manifest-reloads.ts';
import { documentOf } from './manifest-scan.ts';
import type { Recording } from './operator-commands.ts';
import { MAX_NAME, MAX_SENTENCE } from './view-limits.ts';

export interface EditorOptions {
  readonly book: ManifestBook;
  readonly reloads: ManifestReloads;
  readonly runtime: AgentRuntime;
  readonly journalId: string;
  readonly scrub: Scrub;
}

export class ManifestEditor {
  readonly #options: EditorOptions;

  constructor(options: EditorOptions) {
    this.#options = options;
  }

  /** @throws `manifest.*` */
  async read(of: RequestOf<'manifests.read'>['of']): Promise<ManifestTextView> {
    const { book, scrub } = this.#options;
    await book.look();
    const file = 'file' in of ? of.file : book.fileOf(of.process);
    const found = readManifest(book.workspace, file);
    if (found === null) {
      throw new AppError('manifest.none', `There is no manifest ${file} (any more).`, { file });
    }
    refuseSecrets(file, found.text, scrub);
    const isInForce = book.runningBy(file) !== null && !book.pending.some((one) => one.file === file);
    return { file, process: cutOrNull(book.processOf(file), MAX_NAME), ...found, isInForce };
  }

  /** What a text would change; nothing is done. @throws `manifest.*` */
  async plan({ file, text }: Pick<RequestOf<'manifests.plan'>, 'file' | 'text'>): Promise<ManifestPlanView> {
    const { book, reloads, scrub } = this.#options;
    await book.look();
    refuseSecrets(file, text, scrub);
    const before = readManifest(book.workspace, file);
    const checked = book.check(file, text);
    const was = before === null ? undefined : documentOf(before.text);
    const change = checked.definition === null ? null : book.pendingWith(file, text, checked);
    return {
      process: cutOrNull(checked.definition?.name ?? null, MAX_NAME),
      hash: before?.hash ?? null,
      problems: problemViews(checked.problems),
      remarks: problemViews(
        checked.definition === null ? [] : manifestNotes(book.workspace, join(book.workspace, file), text),
      ),
      ...lineViews(manifestDiff(was, documentOf(text))),
      change: change === null ? null : reloads.view(change),
    };
  }

  /** @throws `manifest.*` with nothing written */
  async write(asked: RequestOf<'manifests.write'>, recording: Recording): Promise<ManifestWrittenView> {
    const { book, scrub } = this.#options;
    const { file, text, expected, isApplied } = asked;
    await book.look();
    refuseSecrets(file, text, scrub);
    const { definition, problems } = book.check(file, text);
    if (definition === null) throw unusable(file, problems.map(({ message }) => message).join(' '));
    const before = book.runningBy(file);
    if (isApplied && before !== null && before !== definition.name) {
      throw renamed(file, before, definition.name);
    }
    const action = expected === null ? 'create-manifest' : 'edit-manifest';
    const hash = await this.#recorded(before, action, { ...asked, ...recording }, () => {
      const written = writeManifest(book.workspace, file, text, expected);
      return { told: `${file} was saved.`, gives: written.hash };
    });
    const isMeant = (one: PendingChange): boolean => one.process === definition.name;
    return this.#applied(`${file} was saved.`, { file, hash }, asked, recording, isMeant);
  }

  /** @throws `manifest.*` with nothing moved */
  async remove(asked: RequestOf<'manifests.remove'>, recording: Recording): Promise<ManifestWrittenView> {
    const { book } = this.#options;
    const { file, expected, typed } = asked;
    await book.look();
    const name = book.processOf(file) ?? file;
    if (typed !== name) throw otherName(typed, name);
    const running = book.runningBy(file);
    const kept = await this.#recorded(running, 'remove-manifest', { ...asked, ...recording }, () => {
      const place = trashManifest(book.workspace, file, expected);
      return { told: `${file} lies in ${place} now.`, gives: place };
    });
    const isMeant = (one: PendingChange): boolean => one.process === running && one.kind === 'removed';
    return this.#applied(`${file} lies in ${kept} now.`, { file, hash: null }, asked, recording, isMeant);
  }

  async #recorded<T>(
    process: string | null,
    action: string,
    given: Order,
    act: () => { readonly told: string; readonly gives: T },
  ): Promise<T> {
    const { runtime, journalId } = this.#options;
    const whose = process === null ? null : (runtime.processes.get(process) ?? null);
    const order = { ...given, journalId };
    await recordAsked(whose, action, order);
    let done;
    try {
      done = act();
    } catch (error) {
      await recordOutcome(whose, false, messageOf(error), order);
      throw error;
    }
    await recordOutcome(whose, true, done.told, order);
    return done.gives;
  }

  async #applied(
    said: string,
    written: Pick<ManifestWrittenView, 'file' | 'hash'>,
    { isApplied, reason, commandId }: RequestOf<'manifests.write'> | RequestOf<'manifests.remove'>,
    recording: Recording,
    isMeant: (change: PendingChange) => boolean,
  ): Promise<ManifestWrittenView> {
    const { book, reloads } = this.#options;
    await book.look();
    const change = isApplied ? book.pending.find((one) => one.kind !== 'faulty' && isMeant(one)) : undefined;
    if (change === undefined) return { ...written, message: cut(said, MAX_SENTENCE), reload: null };
    const reload = await reloads.apply([change], { reason, commandId, ...recording });
    return { ...written, message: cut(`${said} ${reload.message}`, MAX_SENTENCE), reload };
  }
}

function unusable(file: string, why: string): AppError {
  return new AppError('manifest.invalid', `${file} was not saved, because it could not be used: ${why}`, {
    file,
  });
}

function renamed(file: string, before: string, now: string): AppError {
  return new AppError(
    'manifest.renamed',
    `${file} defines ${before}, and would define ${now}: a new name is a new process, and ${before} goes. Nothing was saved. Save it without applying it, and look at both changes.`,
    { file, before, now },
  );
}

function otherName(typed: string, name: string): AppError {
  return new AppError(
    'manifest.not-confirmed',
    `Nothing was removed: ${JSON.stringify(typed)} was typed, and it is called ${JSON.stringify(name)}.`,
    { name },
  );
}
