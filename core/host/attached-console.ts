// A console on a workspace that another host runs. What is done to its processes is done by that host, over its socket;
// other journals are looked at from here. When that host goes away, its journal is looked at from here as well.

import type { ConsoleEvent, ConsoleHost } from '../contract/console-host.ts';
import type { Failure, Result } from '../contract/define.ts';
import type { EventOf } from '../contract/events.ts';
import type { RequestOf } from '../contract/requests.ts';
import type { FleetView, JournalView } from '../contract/fleet-views.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import { inspectDirectory } from '../journal/inspect-directory.ts';
import { AppError } from '../model/errors.ts';
import { timestampOf } from '../model/time.ts';
import { FleetTelling, HIDDEN_PERIOD_MS, PERIOD_MS, type FleetParts } from './fleet-telling.ts';
import { sameId } from './same-id.ts';
import { isSamePlace, runBy, type ReachedHost } from './seek-host.ts';
import { refused } from './socket-protocol.ts';

/** A host that hangs says nothing, and what it said last must not be taken for what is [P5]. */
const BEAT_MS = 5_000;
const ANSWER_WITHIN_MS = 10_000;

type Target = NonNullable<RequestOf<'processes.watch'>['target']>;

export interface AttachedOptions {
  readonly host: ReachedHost;
  /** Looks at everything else, and at the journal once its host is gone. Closed with the console. */
  readonly looking: ConsoleHost;
  readonly beatMs?: number;
  readonly answerWithinMs?: number;
}

/** Resolves when it hears everything that the host says. Closing it leaves the host alone. */
export async function attachedConsole(options: AttachedOptions): Promise<ConsoleHost> {
  const attached = new AttachedConsole(options);
  await attached.open();
  return attached;
}

class AttachedConsole implements ConsoleHost {
  readonly #host: ReachedHost;
  readonly #looking: ConsoleHost;
  readonly #telling = new FleetTelling(() => this.#parts());
  readonly #beatMs: number;
  readonly #answerWithinMs: number;
  /** `lost`: the host is gone, and its journal is not open here, yet or at all. */
  #state: 'attached' | 'lost' | 'looking' = 'attached';
  #journal: JournalView;
  #rows: ReadonlyMap<string, ProcessRow>;
  /** Of the host's changes: the last that is shown here, and the last that was told. */
  #sequence: number;
  #told = 0;
  #isReading = false;
  #watched: Target | null = null;
  #beat: NodeJS.Timeout | null = null;
  #closing: Promise<void> | null = null;

  constructor({ host, looking, beatMs = BEAT_MS, answerWithinMs = ANSWER_WITHIN_MS }: AttachedOptions) {
    this.#host = host;
    this.#looking = looking;
    this.#beatMs = beatMs;
    this.#answerWithinMs = answerWithinMs;
    this.#journal = host.journal;
    this.#rows = byKey(host.rows);
    this.#sequence = host.sequence;
  }

  async open(): Promise<void> {
    const { connection, pid } = this.#host;
    this.#looking.subscribe((event) => this.#looked(event));
    this.#telling.notice({
      code: 'host.attached',
      message: `${this.#journal.directory} is run by process ${pid}, and this console is attached to it: what you do here is done there. Closing this console ends nothing.`,
      tone: 'attention',
    });
    void connection.gone.then((reason) => this.#lost(reason));
    const subscribed = await connection.subscribe((event) => this.#heard(event), this.#answerWithinMs);
    if (!subscribed.ok) this.#giveUp(subscribed.error);
    // What changed before somebody listened.
    await this.#readFleet();
    if (this.#state === 'attached') this.#beat = setInterval(() => void this.#listenForLife(), this.#beatMs);
  }

  async handle(name: string, request: unknown): Promise<Result<unknown>> {
    if (this.#closing !== null) return this.#looking.handle(name, request);
    switch (name) {
      case 'fleet.read': {
        const looked = await this.#looking.handle(name, request);
        return looked.ok ? { ok: true, value: this.#telling.read() } : looked;
      }
      case 'journals.open':
        return this.#known(request) ?? this.#looking.handle(name, request);
      case 'journals.close':
        return this.#isTheirs(request) ? this.#refuseClosing() : this.#looking.handle(name, request);
      case 'processes.watch':
        return this.#watch(request);
      default:
        return this.#isTheirs(request)
          ? this.#host.connection.forward(name, request)
          : this.#looking.handle(name, request);
    }
  }

  /** Whether a request is for the host. */
  #isTheirs(request: unknown): boolean {
    return this.#state !== 'looking' && journalIdOf(request) === this.#journal.id;
  }

  /** The answer to opening what is open already; null for everything else. */
  #known(request: unknown): Result<unknown> | null {
    const path = isObject(request) ? request['path'] : null;
    if (typeof path !== 'string' || this.#state === 'looking') return null;
    let found;
    try {
      found = inspectDirectory(path);
    } catch {
      return null; // Whoever opens it says what is wrong with it.
    }
    const { id, directory } = this.#journal;
    if (found.marker?.id !== id) return null;
    if (isSamePlace(found.directory, directory)) return { ok: true, value: this.#journal };
    const { code, message } = sameId(found.directory, directory);
    return refused(code, message);
  }

  #refuseClosing(): Result<unknown> {
    const { directory } = this.#journal;
    return refused(
      'journal.is-live',
      `${directory} is what this console was started for, and can't be closed while process ${this.#host.pid} runs it. Close this console: that ends nothing there.`,
    );
  }

  async #watch(request: unknown): Promise<Result<unknown>> {
    const target = isObject(request) ? request['target'] : undefined;
    const isTheirs = this.#isTheirs(target);
    this.#watched = isTheirs ? (target as Target) : null;
    const none = { target: null };
    const [here, there] = await Promise.all([
      this.#looking.handle('processes.watch', isTheirs ? none : request),
      this.#state === 'attached'
        ? this.#host.connection.forward('processes.watch', isTheirs ? request : none)
        : null,
    ]);
    return isTheirs ? (there ?? refused('host.gone', this.#journal.note)) : here;
  }

  fleet(): FleetView {
    return this.#telling.fleet();
  }

  #parts(): FleetParts {
    const { journals, processes } = this.#looking.fleet();
    if (this.#state === 'looking') return { journals, processes };
    return {
      journals: [this.#journal, ...journals],
      processes: [...this.#rows.values(), ...processes],
    };
  }

  #looked(event: ConsoleEvent): void {
    if (event.name === 'fleet.changed') this.#telling.touch();
    else if (event.name === 'console.notice') this.#telling.notice(event.payload);
    else this.#telling.tell(event);
  }

  #heard(event: ConsoleEvent): void {
    if (event.name === 'fleet.changed') this.#changed(event.payload);
    else if (event.name === 'console.notice') this.#telling.notice(event.payload);
    else if (event.name !== 'process.changed' || event.payload.journalId === this.#journal.id)
      this.#telling.tell(event);
  }

  #changed({ sequence, upserts, removed, journals }: EventOf<'fleet.changed'>): void {
    this.#told = Math.max(this.#told, sequence);
    if (sequence <= this.#sequence) return;
    if (sequence > this.#sequence + 1) {
      void this.#readFleet();
      return;
    }
    this.#sequence = sequence;
    const rows = new Map(this.#rows);
    for (const key of removed) rows.delete(key);
    for (const row of upserts) if (row.journalId === this.#journal.id) rows.set(row.key, row);
    this.#rows = rows;
    this.#take(journals ?? []);
    this.#telling.touch();
  }

  /** Reads until nothing is missing: a gap may show while an answer is on its way, or right behind it [P5]. */
  async #readFleet(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while ((await this.#readOnce()) && this.#sequence < this.#told);
    this.#isReading = false;
  }

  /** Whether the host answered. */
  async #readOnce(): Promise<boolean> {
    const read = await this.#host.connection.request('fleet.read', {}, this.#answerWithinMs);
    if (this.#state !== 'attached') return false;
    if (!read.ok) {
      this.#giveUp(read.error);
      return false;
    }
    const { sequence, journals, processes } = read.value;
    // Otherwise what was told meanwhile is newer.
    if (sequence >= this.#sequence) {
      this.#rows = byKey(processes.filter((row) => row.journalId === this.#journal.id));
      this.#sequence = sequence;
      this.#take(journals);
      this.#telling.touch();
    }
    return true;
  }

  #take(journals: readonly JournalView[]): void {
    const journal = journals.find(({ id }) => id === this.#journal.id);
    if (journal !== undefined) this.#journal = runBy(this.#host.pid, journal);
  }

  async #listenForLife(): Promise<void> {
    const answer = await this.#host.connection.request('app.info', {}, this.#answerWithinMs);
    if (!answer.ok) this.#giveUp(answer.error);
  }

  /** Whoever does not answer is gone, as far as anybody here can tell. */
  #giveUp({ code, message }: Failure): void {
    this.#host.connection.close(new AppError(code, message));
  }

  /** Nobody says any more how its processes are; what was recorded last is found in the journal [S41]. */
  async #lost(reason: AppError): Promise<void> {
    if (this.#closing !== null) return;
    this.#state = 'lost';
    this.#stopBeat();
    const { directory } = this.#journal;
    const why = `Process ${this.#host.pid}, which ran ${directory}, can't be reached any more. ${reason.message}`;
    const since = timestampOf(Date.now());
    this.#rows = byKey([...this.#rows.values()].map((row) => unknownRow(row, why, since)));
    this.#journal = { ...this.#journal, access: 'read-only', note: why, asOf: since };
    this.#telling.touch();
    this.#telling.notice({
      code: 'host.gone',
      message: `${why} From here its journal is only looked at; start this console again to run it, or to attach to whoever runs it then.`,
      tone: 'alarm',
    });
    await this.#lookInstead(directory);
  }

  async #lookInstead(directory: string): Promise<void> {
    const opened = await this.#looking.handle('journals.open', { path: directory });
    if (!opened.ok) {
      this.#journal = { ...this.#journal, note: `${this.#journal.note} ${opened.error.message}` };
    } else {
      this.#state = 'looking';
      if (this.#watched !== null) await this.#looking.handle('processes.watch', { target: this.#watched });
    }
    this.#telling.touch();
  }

  subscribe(listener: (event: ConsoleEvent) => void): () => void {
    return this.#telling.subscribe(listener);
  }

  setVisible(visible: boolean): void {
    this.#looking.setVisible(visible);
    this.#telling.setPeriod(visible ? PERIOD_MS : HIDDEN_PERIOD_MS);
  }

  /** Whatever is under way goes on without this console. */
  busy(): readonly string[] {
    return [];
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#stopBeat();
    this.#telling[Symbol.dispose]();
    this.#host.connection.close(
      new AppError('host.closing', 'This console is being closed and asks nothing any more. Start it again.'),
    );
    await this.#looking.close();
  }

  #stopBeat(): void {
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#beat = null;
  }
}

function byKey(rows: readonly ProcessRow[]): ReadonlyMap<string, ProcessRow> {
  return new Map(rows.map((row) => [row.key, row]));
}

function unknownRow(row: ProcessRow, why: string, since: string): ProcessRow {
  return {
    ...row,
    live: false,
    state: 'unknown',
    stateSince: since,
    why,
    whyAt: null,
    tone: 'alarm',
    worker: null,
    actions: [],
  };
}

function journalIdOf(request: unknown): unknown {
  return isObject(request) ? request['journalId'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
