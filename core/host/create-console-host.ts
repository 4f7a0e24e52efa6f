// The host behind every console: wires journals, runtime and read model to the contract.

import { createHash } from 'node:crypto';
import type { ConsoleEvent, ConsoleHost } from '../contract/console-host.ts';
import type { Result } from '../contract/define.ts';
import { REQUESTS, type RequestName, type RequestOf, type ResponseOf } from '../contract/requests.ts';
import type { AppView, FleetView, JournalView, ProcessRow } from '../contract/views.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Cursor, WorkerHost } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import { changeStream } from './change-stream.ts';
import { cut } from './cut.ts';
import { fleetChanges } from './fleet-changes.ts';
import type { JournalSource } from './journal-source.ts';
import { openLiveWorkspace, type LiveWorkspace } from './live-workspace.ts';
import { lookAtJournal } from './looked-at-journal.ts';
import { carryOut, type CommandName, type Outcome } from './operator-commands.ts';
import { watchedProcess } from './watched-process.ts';

const PERIOD_MS = 100;
const HIDDEN_PERIOD_MS = 1_000;
/** Answers kept, so that the same command asked twice is answered twice and done once. */
const REMEMBERED_COMMANDS = 1_000;
/** Of what went wrong, in characters; names of any length go into such messages. */
const MAX_MESSAGE = 4_000;

export interface ConsoleHostOptions {
  readonly app: AppView;
  /** The workspace to run, absolute; null only looks at journals. */
  readonly workspace: string | null;
  readonly workerHost: WorkerHost;
  /** Where it is remembered how far journals go, apart from them; null for nowhere [S10, S13]. */
  readonly knownJournals: string | null;
  /** The operating system's user. */
  readonly operator: string;
  /** Lets the operator choose a directory; null when they chose none. */
  readonly chooseJournal: () => Promise<string | null>;
}

/** Resolves when the workspace is recovered and running; a workspace that can't be run leaves a host that says why. */
export async function createConsoleHost(options: ConsoleHostOptions): Promise<ConsoleHost> {
  const host = new Host(options);
  await host.open();
  return host;
}

class Host implements ConsoleHost {
  readonly #options: ConsoleHostOptions;
  readonly #sources = new Map<string, JournalSource>();
  readonly #listeners = new Set<(event: ConsoleEvent) => void>();
  readonly #commands = new Map<string, { readonly asked: string; readonly outcome: Promise<Outcome> }>();
  readonly #fleetStream = changeStream(
    PERIOD_MS,
    () => this.#tellFleet(),
    (error) => this.#failed(error),
  );
  readonly #watched = watchedProcess(
    (event) => this.#tell(event),
    (error) => this.#failed(error),
  );
  readonly #notices: ConsoleEvent[] = [];
  /** Codes of what went wrong while telling: each is said once, or it would be said ten times a second. */
  readonly #failures = new Set<string>();
  #live: LiveWorkspace | null = null;
  #known: ReadonlyMap<string, ProcessRow> = new Map();
  #knownJournals = '';
  #sequence = 0;
  #closing: Promise<void> | null = null;

  constructor(options: ConsoleHostOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { workspace, workerHost, knownJournals } = this.#options;
    if (workspace === null) return;
    try {
      this.#live = await openLiveWorkspace({
        workspace,
        workerHost,
        knownJournals,
        onChange: (process) => this.#changed(process),
      });
      this.#sources.set(this.#live.id, this.#live);
      for (const problem of this.#live.problems) this.#notice(problem);
    } catch (error) {
      this.#notice(error);
      await this.#lookInstead(workspace);
    }
    this.#changed(null);
  }

  /** A workspace that somebody else runs can still be looked at. */
  async #lookInstead(workspace: string): Promise<void> {
    try {
      await this.#look(workspace);
    } catch {
      // There is nothing to look at either; the notice above says what is wrong.
    }
  }

  async handle(name: string, request: unknown): Promise<Result<unknown>> {
    if (this.#closing !== null) return failure(closing());
    if (!Object.hasOwn(REQUESTS, name)) {
      return failure(
        new AppError(
          'request.unknown',
          `This host knows no request ${JSON.stringify(name)}. Console and host must be of one version.`,
        ),
      );
    }
    const parsed = REQUESTS[name as RequestName].request.safeParse(request);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        (issue) => `${issue.path.join('.') || 'request'}: ${issue.message}`,
      );
      return failure(
        new AppError('request.invalid', `The request ${name} is not as agreed: ${problems.join('; ')}.`, {
          problems,
        }),
      );
    }
    try {
      return { ok: true, value: await this.#answer(name as RequestName, parsed.data) };
    } catch (error) {
      return failure(error);
    }
  }

  async #answer(name: RequestName, request: unknown): Promise<unknown> {
    switch (name) {
      case 'app.info':
        return this.#options.app satisfies ResponseOf<'app.info'>;
      case 'fleet.read':
        return this.#fleetRead();
      case 'journals.open':
        return this.#look((request as RequestOf<'journals.open'>).path);
      case 'journals.choose':
        return this.#choose();
      case 'journals.close':
        return this.#close((request as RequestOf<'journals.close'>).journalId);
      case 'processes.read': {
        const { journalId, process } = request as RequestOf<'processes.read'>;
        return this.#source(journalId).detail(process);
      }
      case 'processes.watch':
        return this.#watch(request as RequestOf<'processes.watch'>);
      case 'timeline.read': {
        const { journalId, process, limit, before } = request as RequestOf<'timeline.read'>;
        const source = this.#source(journalId);
        source.detail(process); // Refuses a process that is not there.
        return source.timeline(process, limit, before as Cursor | null);
      }
      case 'processes.start':
      case 'processes.suspend':
      case 'processes.resume':
      case 'processes.stop':
      case 'processes.trigger':
      case 'processes.kill-worker':
      case 'processes.force-recover':
      case 'effects.resolve':
        return this.#command(name, request as RequestOf<CommandName>);
    }
  }

  /** Reading starts the count of changes anew, so what was told before is told again to whoever starts now. */
  #fleetRead(): FleetView {
    for (const notice of this.#notices.splice(0)) setImmediate(() => this.#tell(notice));
    return this.fleet();
  }

  fleet(): FleetView {
    return {
      sequence: this.#sequence,
      at: timestampOf(Date.now()),
      journals: [...this.#sources.values()].map((source) => source.view()),
      processes: [...this.#sources.values()].flatMap((source) => source.rows()),
    };
  }

  async #look(path: string): Promise<JournalView> {
    const source = await lookAtJournal(
      path,
      () => this.#changed(null),
      (error) => this.#failed(error),
    );
    if (this.#closing !== null) {
      await source.close();
      throw closing();
    }
    const known = [...this.#sources.values()].find((other) => other.directory === source.directory);
    if (known !== undefined) {
      await source.close();
      return known.view();
    }
    if (this.#sources.has(source.id)) {
      const other = this.#sources.get(source.id)!.directory;
      await source.close();
      throw new AppError(
        'journal.same-id',
        `${source.directory} is a copy of ${other}, which is open: both have the same id. Close that one first.`,
        { directory: source.directory, other },
      );
    }
    this.#sources.set(source.id, source);
    this.#changed(null);
    return source.view();
  }

  async #choose(): Promise<JournalView | null> {
    const path = await this.#options.chooseJournal();
    return path === null ? null : this.#look(path);
  }

  async #close(journalId: string): Promise<Record<string, never>> {
    const source = this.#source(journalId);
    if (source === this.#live) {
      throw new AppError(
        'journal.is-live',
        `${source.directory} is run by this console and can't be closed while it is. Stop its processes, or quit.`,
        { journalId },
      );
    }
    this.#sources.delete(journalId);
    await source.close();
    this.#changed(null);
    return {};
  }

  async #watch({ target }: RequestOf<'processes.watch'>): Promise<Record<string, never>> {
    if (target === null) this.#watched.stop();
    else await this.#watched.start(this.#source(target.journalId), target.process);
    return {};
  }

  #source(journalId: string): JournalSource {
    const source = this.#sources.get(journalId);
    if (source !== undefined) return source;
    throw new AppError('journal.not-open', 'That journal is not open (any more). Open it again.', {
      journalId,
    });
  }

  /**
   * The same command id is the same command: one act, and the same answer for everyone who asks. With it for another
   * command nobody could tell which of the two was meant.
   */
  #command(name: CommandName, request: RequestOf<CommandName>): Promise<Outcome> {
    const { commandId } = request;
    const asked = createHash('sha256')
      .update(JSON.stringify([name, request]))
      .digest('base64');
    const known = this.#commands.get(commandId);
    if (known !== undefined) {
      if (known.asked === asked) return known.outcome;
      throw new AppError(
        'request.command-reused',
        `The command id ${commandId} was used for another command, so nothing was done. Ask again with an id of its own.`,
        { commandId },
      );
    }
    const outcome = this.#carryOut(name, request);
    this.#commands.set(commandId, { asked, outcome });
    if (this.#commands.size > REMEMBERED_COMMANDS) this.#commands.delete(this.#commands.keys().next().value!);
    return outcome;
  }

  async #carryOut(name: CommandName, request: RequestOf<CommandName>): Promise<Outcome> {
    const source = this.#source(request.journalId);
    if (this.#live === null || source !== this.#live) {
      throw new AppError(
        'journal.read-only',
        `${source.directory} is only looked at from here, so nothing can be done to its processes. Use the console that runs it.`,
        { journalId: request.journalId },
      );
    }
    const outcome = await carryOut(
      name,
      this.#live.runtime.process(request.process),
      request,
      this.#options.operator,
    );
    this.#changed(request.process);
    return outcome;
  }

  subscribe(listener: (event: ConsoleEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  setVisible(visible: boolean): void {
    this.#fleetStream.setPeriod(visible ? PERIOD_MS : HIDDEN_PERIOD_MS);
    this.#watched.setPeriod(visible ? PERIOD_MS : HIDDEN_PERIOD_MS);
  }

  busy(): readonly string[] {
    const processes = [...(this.#live?.runtime.processes.values() ?? [])];
    return processes.filter((process) => process.live.running > 0).map((process) => process.name);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    // What was asked before is done before: after it nothing is there to do it to.
    await Promise.allSettled([...this.#commands.values()].map(({ outcome }) => outcome));
    this.#watched[Symbol.dispose]();
    this.#fleetStream[Symbol.dispose]();
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
    this.#listeners.clear();
  }

  #changed(process: string | null): void {
    if (this.#closing !== null) return;
    this.#fleetStream.touch();
    this.#watched.touch(process);
  }

  #tellFleet(): void {
    const changes = fleetChanges(this.#known, this.fleet());
    this.#known = changes.rows;
    const journals = JSON.stringify(changes.journals);
    const journalsChanged = journals !== this.#knownJournals;
    this.#knownJournals = journals;
    if (changes.upserts.length === 0 && changes.removed.length === 0 && !journalsChanged) return;
    this.#sequence += 1;
    this.#tell({
      name: 'fleet.changed',
      payload: {
        sequence: this.#sequence,
        at: timestampOf(Date.now()),
        upserts: changes.upserts,
        removed: changes.removed,
        journals: journalsChanged ? changes.journals : null,
      },
    });
  }

  #tell(event: ConsoleEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#failed(error); // The others are told all the same.
      }
    }
  }

  /** Something that should not have happened while looking or telling; it ends nothing. */
  #failed(error: unknown): void {
    const code = codeOf(error);
    if (this.#failures.has(code)) return;
    this.#failures.add(code);
    this.#notice(error);
  }

  #notice(error: unknown): void {
    const notice: ConsoleEvent = {
      name: 'console.notice',
      payload: { code: codeOf(error), message: cut(messageOf(error), MAX_MESSAGE), tone: 'alarm' },
    };
    // Before anybody listens it waits for the first who reads.
    if (this.#listeners.size === 0) this.#notices.push(notice);
    else this.#tell(notice);
  }
}

function closing(): AppError {
  return new AppError(
    'host.closing',
    'This console is being closed and does nothing any more. Start it again.',
  );
}

function failure(error: unknown): Result<never> {
  const detail = error instanceof AppError ? { detail: { ...error.detail } } : {};
  return {
    ok: false,
    error: { code: codeOf(error), message: cut(messageOf(error), MAX_MESSAGE), ...detail },
  };
}
