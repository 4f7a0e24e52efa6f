// A journal that this host doesn't run: shown as it is, followed while it grows, and never touched [P6, S8].

import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { planOf } from '../model/agent-plan.ts';
import type { ToolsView } from '../contract/tools-view.ts';
import { toolsView } from './tools-view.ts';
import type { JournalView } from '../contract/fleet-views.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import type { TimelinePage } from '../contract/timeline-views.ts';
import { readFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { inspectDirectory, type InspectedDirectory } from '../journal/inspect-directory.ts';
import { PROMPTISE_JOURNAL, WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { readHolder } from '../journal/lock.ts';
import { checkpointFile, entriesFile } from '../journal/process-files.ts';
import { checkpointToSnapshot, snapshotToState } from '../model/checkpoint.ts';
import { damageOf } from '../model/damage.ts';
import { isBad } from '../model/entry.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { applyEntry, FOLD_VERSION } from '../model/fold.ts';
import type { Cursor } from '../model/ports.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import { dayOf, timestampOf } from '../model/time.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import { watchDirectory } from '../tail/watch-directory.ts';
import { changeStream, type ChangeStream } from './change-stream.ts';
import { timelinePage, type JournalSource } from './journal-source.ts';
import { noMemory, type MemoryAt } from './memory-look.ts';
import { isAlive } from './os-process.ts';
import { asRecorded, processDetail, processRow, waitingInput, type DetailInput } from './read-model.ts';
import { rowCache } from './row-cache.ts';
import type { WaitingInput } from './waiting-views.ts';

/** A journal that somebody else writes fast is not read faster than this. */
const PERIOD_MS = 500;
/** How often a journal that is replaced while it is read is read again at once. */
const LOOKS = 5;
/** What requests take for an id. */
const MAX_ID = 200;

interface Trouble {
  readonly text: string;
  readonly since: string;
}

interface LookedAt {
  readonly snapshot: ProcessSnapshot;
  readonly badLines: number;
  readonly sizeBytes: number | null;
  /** How far the snapshot goes; null when the file has to be read from its beginning. */
  readonly read: Cursor | null;
  /** Why nothing can be read any more, and since when; what is shown is what was read before. */
  readonly trouble: Trouble | null;
}

/**
 * Opens what is behind a path for looking. What can't be read afterwards is shown as unknown, with the reason;
 * `onFailure` hears of what should not have happened.
 * @throws what {@link inspectDirectory} throws
 */
export async function lookAtJournal(
  path: string,
  onChange: (names: readonly string[]) => void,
  onFailure: (error: unknown) => void = raise,
): Promise<JournalSource> {
  const inspected = inspectDirectory(path);
  const source = new LookedAtJournal(inspected, onChange, onFailure);
  await source.load();
  return source;
}

/** The same for the same place, so that an address leads back to it. */
export function foreignJournalId(directory: string): string {
  return `at-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`;
}

class LookedAtJournal implements JournalSource {
  readonly id: string;
  readonly directory: string;
  readonly #inspected: InspectedDirectory;
  readonly #journal: FileJournal;
  readonly #watch: Disposable;
  readonly #stream: ChangeStream;
  /** Files that changed and have not been looked at since. */
  readonly #changed = new Set<string>();
  readonly #rows = rowCache();
  #processes = new Map<string, LookedAt>();
  #loading: Promise<void> = Promise.resolve();

  constructor(
    inspected: InspectedDirectory,
    onChange: (names: readonly string[]) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#inspected = inspected;
    this.directory = inspected.directory;
    const id = inspected.marker?.id ?? '';
    this.id = id === '' || id.length > MAX_ID ? foreignJournalId(inspected.directory) : id;
    this.#journal = readFileJournal(inspected.directory);
    this.#stream = changeStream(
      PERIOD_MS,
      async () => {
        const files = new Set(this.#changed);
        this.#changed.clear();
        this.#loading = this.load(files);
        await this.#loading;
        onChange([...this.#processes.keys()]);
      },
      onFailure,
    );
    this.#watch = watchDirectory(this.directory, (files) => {
      for (const file of files) this.#changed.add(file);
      this.#stream.touch();
    });
  }

  /** Reads the processes of these files, and those never read, anew. One that can't be read is shown with the reason. */
  async load(files: ReadonlySet<string> = new Set()): Promise<void> {
    const engine = new ReplayEngine(this.#journal);
    let names: readonly string[];
    try {
      names = await this.#journal.processes();
    } catch (error) {
      const text = goneText(this.directory, error);
      for (const [name, known] of this.#processes) this.#processes.set(name, inTrouble(known, text));
      return;
    }
    const loaded = new Map<string, LookedAt>();
    for (const name of names) {
      const known = this.#processes.get(name);
      const isStale = files.has(entriesFile(name)) || files.has(checkpointFile(name));
      loaded.set(name, known === undefined || isStale ? await this.#look(engine, name) : known);
    }
    this.#processes = loaded;
    this.#rows.keepOnly(loaded);
  }

  async #look(engine: ReplayEngine, name: string): Promise<LookedAt> {
    let known = this.#processes.get(name) ?? NEVER_READ;
    for (let look = 1; ; look += 1) {
      try {
        return known.read === null
          ? await this.#readWhole(engine, name)
          : await this.#goOn(name, known, known.read);
      } catch (error) {
        if (codeOf(error) !== 'journal.changed' || look === LOOKS)
          return inTrouble(known, goneText(this.#journal.pathOf(name), error));
        known = { ...known, read: null };
      }
    }
  }

  async #readWhole(engine: ReplayEngine, name: string): Promise<LookedAt> {
    const { snapshot, damage, readTo } = await engine.recover(name, { lenient: true });
    const sizeBytes = sizeOf(this.#journal, name);
    return { snapshot, badLines: damage.length, sizeBytes, read: readTo, trouble: null };
  }

  /**
   * A journal that only grew is read on from where it was: it may be long, and somebody may write it fast.
   * @throws RetryableError `journal.changed` when it was cut or replaced
   */
  async #goOn(name: string, { snapshot, badLines }: LookedAt, read: Cursor): Promise<LookedAt> {
    let state = snapshotCopy(snapshot);
    let bad = badLines;
    let place = read;
    for await (const { items, next } of this.#journal.readFrom(name, read)) {
      for (const item of items) {
        if (damageOf(item) !== null) bad += 1;
        if (!isBad(item)) state = applyEntry(state, item);
      }
      place = next;
    }
    const sizeBytes = sizeOf(this.#journal, name);
    return { snapshot: state, badLines: bad, sizeBytes, read: place, trouble: null };
  }

  view(): JournalView {
    return {
      id: this.id,
      title: titleOf(this.directory),
      directory: this.directory,
      access: 'read-only',
      format: this.#inspected.format,
      note: this.#note(),
      asOf: this.#gone()?.since ?? null,
      sizeBytes: sumOf([...this.#processes.values()].map(({ sizeBytes }) => sizeBytes)),
      badLines: [...this.#processes.values()].reduce((sum, { badLines }) => sum + badLines, 0),
      triggersHeld: null,
    };
  }

  /** Why, and since when, a process of it can't be read any more. */
  #gone(): Trouble | null {
    return [...this.#processes.values()].find(({ trouble }) => trouble !== null)?.trouble ?? null;
  }

  #note(): string {
    const gone = this.#gone();
    if (gone !== null) return `${gone.text} Shown is what was read before.`;
    if (this.#inspected.format === 'promptise') return 'A Promptise journal: looked at, never changed.';
    const holder = readHolder(this.directory);
    // This process itself may have held it, and has let go of what it only looks at.
    if (holder !== null && holder.pid !== process.pid && isAlive(holder))
      return `Being written by process ${holder.pid}; looked at from here.`;
    return 'Not run by this console: looked at, never changed.';
  }

  rows(): readonly ProcessRow[] {
    const today = dayOf(timestampOf(Date.now()));
    return [...this.#processes].map(([name, known]) =>
      this.#rows.row(name, [known, today], () => processRow(this.#input(name))),
    );
  }

  detail(process: string): ProcessDetail {
    return processDetail(this.#input(process));
  }

  tools(process: string): ToolsView {
    const { snapshot } = this.#input(process);
    return toolsView({ snapshot, plan: planOf(snapshot.plan), told: null, isNow: false });
  }

  waiting(): readonly WaitingInput[] {
    return [...this.#processes.keys()].map((name) => waitingInput(this.#input(name)));
  }

  #input(name: string): DetailInput {
    const known = this.#processes.get(name);
    if (known === undefined) {
      throw new AppError(
        'process.not-found',
        `${this.directory} has no process ${JSON.stringify(name)} (any more).`,
        { process: name },
      );
    }
    const { snapshot, trouble } = known;
    return { ...asRecorded(this.id, name, snapshot), unknown: trouble };
  }

  memoryOf(name: string): MemoryAt {
    const { marker } = this.#inspected;
    const plan = planOf(this.#input(name).snapshot.plan)?.memory ?? null;
    if (plan === null || marker === null) throw noMemory(name);
    return { plan, workspace: resolve(this.directory, marker.workspace ?? '..') };
  }

  timeline(process: string, limit: number, before: Cursor | null): Promise<TimelinePage> {
    return timelinePage(this.#journal, process, limit, before);
  }

  async close(): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.#stream[Symbol.dispose]();
    await this.#loading;
    await this.#journal.close();
  }
}

/** Of a process's entries, in bytes; null where the system does not say. */
export function sizeOf(journal: FileJournal, process: string): number | null {
  try {
    return journal.sizeOf(process);
  } catch {
    return null; // A disk that fails or is gone, a link that leads to itself: unknown, and shown as that.
  }
}

/** Unknown as soon as a part of it is. */
export function sumOf(sizes: Iterable<number | null>): number | null {
  let sum = 0;
  for (const size of sizes) {
    if (size === null) return null;
    sum += size;
  }
  return sum;
}

function raise(error: unknown): never {
  throw error;
}

/** A journal in its usual place is called after what it is the journal of. */
export function titleOf(directory: string): string {
  for (const usual of [WORKSPACE_JOURNAL, PROMPTISE_JOURNAL]) {
    const suffix = usual.split('/').join(directory.includes('\\') ? '\\' : '/');
    if (directory.endsWith(suffix)) return basename(directory.slice(0, -suffix.length - 1)) || directory;
  }
  return basename(directory) === 'journal' ? basename(dirname(directory)) : basename(directory) || directory;
}

const NEVER_READ: LookedAt = {
  snapshot: emptySnapshot(),
  badLines: 0,
  sizeBytes: null,
  read: null,
  trouble: null,
};

function inTrouble(known: LookedAt, text: string): LookedAt {
  const since = known.trouble?.since ?? timestampOf(Date.now());
  return { ...known, sizeBytes: null, read: null, trouble: { text, since } };
}

function goneText(path: string, error: unknown): string {
  return codeOf(error) === 'ENOENT'
    ? `${path} is gone. Put it back, or close the journal here.`
    : `${path} can't be read any more: ${messageOf(error)}. Check the disk it is on.`;
}

/** The fold owns what it goes on from, and views still show the last one. */
function snapshotCopy(snapshot: ProcessSnapshot): ProcessSnapshot {
  const state = snapshotToState(snapshot, FOLD_VERSION);
  const copy = checkpointToSnapshot({ state }, emptySnapshot());
  return { ...copy, lastEntryType: snapshot.lastEntryType, lastEntryAt: snapshot.lastEntryAt };
}
