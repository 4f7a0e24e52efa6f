// All that a host knows and does of the manifests of the workspace that it runs: one order at a time.

import type { ManifestChangesView, ManifestPlanView, ManifestTextView } from '../contract/manifest-views.ts';
import type { ManifestWrittenView, ReloadView } from '../contract/manifest-views.ts';
import type { RequestOf } from '../contract/requests.ts';
import { OneAtATime } from '../runtime/one-at-a-time.ts';
import { ManifestBook, type BookOptions } from './manifest-book.ts';
import { ManifestEditor, type EditorOptions } from './manifest-editor.ts';
import { ManifestReloads, type ReloadsOptions } from './manifest-reloads.ts';
import type { Recording } from './operator-commands.ts';

export type ManifestsOptions = BookOptions &
  Omit<ReloadsOptions, 'book'> &
  Omit<EditorOptions, 'book' | 'reloads'>;

export class Manifests implements Disposable {
  readonly book: ManifestBook;
  readonly #reloads: ManifestReloads;
  readonly #editor: ManifestEditor;
  readonly #orders = new OneAtATime();

  constructor(options: ManifestsOptions) {
    this.book = new ManifestBook(options);
    this.#reloads = new ManifestReloads({ ...options, book: this.book });
    this.#editor = new ManifestEditor({ ...options, book: this.book, reloads: this.#reloads });
  }

  [Symbol.dispose](): void {
    this.book[Symbol.dispose]();
  }

  changes(): Promise<ManifestChangesView> {
    return this.#reloads.changes();
  }

  read(of: RequestOf<'manifests.read'>['of']): Promise<ManifestTextView> {
    return this.#editor.read(of);
  }

  plan(asked: Pick<RequestOf<'manifests.plan'>, 'file' | 'text'>): Promise<ManifestPlanView> {
    return this.#editor.plan(asked);
  }

  reload(asked: RequestOf<'workspace.reload'>, recording: Recording): Promise<ReloadView> {
    return this.#inTurn(() => this.#reloads.reload(asked, recording));
  }

  write(asked: RequestOf<'manifests.write'>, recording: Recording): Promise<ManifestWrittenView> {
    return this.#inTurn(() => this.#editor.write(asked, recording));
  }

  remove(asked: RequestOf<'manifests.remove'>, recording: Recording): Promise<ManifestWrittenView> {
    return this.#inTurn(() => this.#editor.remove(asked, recording));
  }

  /** Rejects as `act` does. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#orders.run(async () => {
        await act().then(resolve, reject);
      });
    });
  }
}
