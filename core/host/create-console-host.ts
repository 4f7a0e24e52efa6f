// The host behind every console: wires journals, runtime and read model to the contract.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { ConsoleEvent, ConsoleHost } from '../contract/console-host.ts';
import type { Result } from '../contract/define.ts';
import { REQUESTS, type RequestName, type RequestOf, type ResponseOf } from '../contract/requests.ts';
import type { AppView, FleetView, JournalView, OutputLine as OutputView } from '../contract/views.ts';
import { WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { readMarker } from '../journal/marker.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { showJson } from '../model/json.ts';
import type { Cursor, WorkerHost } from '../model/ports.ts';
import { attachedConsole } from './attached-console.ts';
import { cut } from './cut.ts';
import { FleetTelling, HIDDEN_PERIOD_MS, MAX_MESSAGE, PERIOD_MS } from './fleet-telling.ts';
import { hostJournal, type HostJournal } from './host-journal.ts';
import type { JournalSource } from './journal-source.ts';
import { openLiveWorkspace, type LiveWorkspace } from './live-workspace.ts';
import { serveLocalSocket, type ConsoleSession, type LocalSocket } from './local-socket.ts';
import { lookAtJournal } from './looked-at-journal.ts';
import { carryOut, type CommandName, type CommandRequest, type Outcome } from './operator-commands.ts';
import { parseJson } from './parse-json.ts';
import type { OutputLine } from './output-files.ts';
import { readWorkerOutput } from './read-worker-output.ts';
import { sameId } from './same-id.ts';
import { seekHost, type ReachedHost } from './seek-host.ts';
import { socketPath } from './socket-path.ts';
import { watchedProcess, type WatchedProcess } from './watched-process.ts';

/** Answers kept, so that the same command asked twice is answered twice and done once. */
const REMEMBERED_COMMANDS = 1_000;

export interface ConsoleHostOptions {
  readonly app: AppView;
  /** The workspace to run, absolute; null only looks at journals. */
  readonly workspace: string | null;
  readonly workerHost: WorkerHost;
  /**
   * Where it is remembered how far journals go, apart from them [S10, S13]. In the directory that it lies in, the user's
   * data folder, are the host's socket and its own journal too [S36]. Null for nowhere.
   */
  readonly knownJournals: string | null;
  /** The operating system's user. */
  readonly operator: string;
  /** Lets the operator choose a directory; null when they chose none. */
  readonly chooseJournal: () => Promise<string | null>;
}

/**
 * Resolves when the workspace is recovered and running. One that another host runs is attached to, or looked at where that
 * host can't be reached; one that can't be run leaves a host that says why.
 */
export async function createConsoleHost(options: ConsoleHostOptions): Promise<ConsoleHost> {
  const { workspace } = options;
  const host = new Host(options);
  if (workspace === null) return host;
  try {
    await host.run(workspace);
    return host;
  } catch (error) {
    const reached = codeOf(error) === 'journal.locked' ? await reach(workspace, dataOf(options)) : null;
    if (reached !== null) return attachedConsole({ host: reached, looking: host });
    await host.lookInstead(workspace, error);
    return host;
  }
}

function dataOf({ knownJournals }: ConsoleHostOptions): string | null {
  return knownJournals === null ? null : dirname(knownJournals);
}

/** The host that runs a workspace's journal; null where it can't be talked to. */
async function reach(workspace: string, data: string | null): Promise<ReachedHost | null> {
  const directory = join(workspace, WORKSPACE_JOURNAL);
  const journalId = readMarker(directory)?.id;
  if (data === null || journalId === undefined) return null;
  const sought = await seekHost({ directory, journalId, data: () => data });
  return sought.kind === 'reached' ? sought.host : null;
}

class Host implements ConsoleHost {
  readonly #options: ConsoleHostOptions;
  readonly #sources = new Map<string, JournalSource>();
  readonly #commands = new Map<string, { readonly asked: string; readonly outcome: Promise<Outcome> }>();
  readonly #telling = new FleetTelling(() => this.#parts());
  /** What each console has open: our own, and those behind the socket. */
  readonly #watched = new Set<WatchedProcess>();
  readonly #ownWatched = this.#newWatched((event) => this.#telling.tell(event));
  #live: LiveWorkspace | null = null;
  #socket: LocalSocket | null = null;
  #hostJournal: HostJournal | null = null;
  #isVisible = true;
  #subscribers = 0;
  #closing: Promise<void> | null = null;

  constructor(options: ConsoleHostOptions) {
    this.#options = options;
  }

  /** @throws what {@link openLiveWorkspace} throws */
  async run(workspace: string): Promise<void> {
    const { workerHost, knownJournals } = this.#options;
    const live = await openLiveWorkspace({
      workspace,
      workerHost,
      knownJournals,
      onChange: (process) => this.#changed(process),
    });
    this.#live = live;
    this.#sources.set(live.id, live);
    for (const problem of live.problems) this.#telling.noticeOf(problem);
    const data = dataOf(this.#options);
    if (data !== null) {
      this.#hostJournal = hostJournal(data, live.id);
      await this.#listen(data, live.id);
    }
    this.#changed(null);
  }

  /** Without a socket a host runs as well; it is only harder to reach. */
  async #listen(data: string, journalId: string): Promise<void> {
    try {
      this.#socket = await serveLocalSocket({
        path: socketPath(data, journalId),
        open: (tell) => this.#openSession(tell),
        onSubscribers: (count) => this.#setSubscribers(count),
        onFailure: (error) => this.#telling.failed(error),
      });
    } catch (error) {
      this.#telling.noticeOf(error, 'attention');
    }
  }

  /** Says why a workspace can't be run; what there is of it can still be looked at. */
  async lookInstead(workspace: string, why: unknown): Promise<void> {
    this.#telling.noticeOf(why);
    try {
      await this.#look(workspace);
    } catch {
      // There is nothing to look at either; the notice above says what is wrong.
    }
    this.#changed(null);
  }

  #newWatched(tell: (event: ConsoleEvent) => void): WatchedProcess {
    const watched = watchedProcess(tell, (error) => this.#telling.failed(error));
    this.#watched.add(watched);
    return watched;
  }

  #openSession(tell: (event: ConsoleEvent) => void): ConsoleSession {
    const watched = this.#newWatched(tell);
    let unsubscribe: (() => void) | null = null;
    const stop = (): void => {
      unsubscribe?.();
      unsubscribe = null;
    };
    return {
      handle: (name, request) => this.#handle(name, request, watched),
      subscribe: () => {
        unsubscribe ??= this.#telling.subscribe((event) => {
          // What our own console has open is its own business.
          if (event.name !== 'process.changed') tell(event);
        });
      },
      unsubscribe: stop,
      close: () => {
        stop();
        this.#watched.delete(watched);
        watched[Symbol.dispose]();
      },
    };
  }

  handle(name: string, request: unknown): Promise<Result<unknown>> {
    return this.#handle(name, request, this.#ownWatched);
  }

  async #handle(name: string, request: unknown, watched: WatchedProcess): Promise<Result<unknown>> {
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
      return { ok: true, value: await this.#answer(name as RequestName, parsed.data, watched) };
    } catch (error) {
      return failure(error);
    }
  }

  async #answer(name: RequestName, request: unknown, watched: WatchedProcess): Promise<unknown> {
    switch (name) {
      case 'app.info':
        return this.#options.app satisfies ResponseOf<'app.info'>;
      case 'fleet.read':
        // Notices wait for our own console.
        return watched === this.#ownWatched ? this.#telling.read() : this.fleet();
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
        return this.#watch(request as RequestOf<'processes.watch'>, watched);
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
      case 'processes.restart':
      case 'processes.signal':
      case 'effects.resolve':
      case 'inbox.write':
      case 'deadletters.redeliver':
      case 'deadletters.drop':
        return this.#command(name, request as CommandRequest);
      case 'promises.settle': {
        const settle = request as RequestOf<'promises.settle'>;
        const process =
          settle.process ?? this.#liveOf(settle.journalId).runtime.processOfPromise(settle.promiseId).name;
        return this.#command(name, { ...settle, process });
      }
      case 'output.read': {
        const { journalId, process, limit, before } = request as RequestOf<'output.read'>;
        const source = this.#source(journalId);
        source.detail(process); // Refuses a process that is not there.
        const page = readWorkerOutput(source.directory, process, { limit, before });
        return { lines: page.lines.map(outputLine), before: page.before } satisfies ResponseOf<'output.read'>;
      }
      case 'processes.preview': {
        const { journalId, process, action } = request as RequestOf<'processes.preview'>;
        return this.#liveOf(journalId).preview(process, action);
      }
      case 'processes.query': {
        const {
          journalId,
          process,
          name: query,
          argsText,
          eventId,
        } = request as RequestOf<'processes.query'>;
        const args = argsText === undefined ? null : parseJson(argsText, 'arguments');
        const value = await this.#liveOf(journalId)
          .runtime.process(process)
          .query(query, args, eventId ?? null);
        return { valueText: showJson(value) };
      }
    }
  }

  fleet(): FleetView {
    return this.#telling.fleet();
  }

  #parts(): Pick<FleetView, 'journals' | 'processes'> {
    const sources = [...this.#sources.values()];
    return {
      journals: sources.map((source) => source.view()),
      processes: sources.flatMap((source) => source.rows()),
    };
  }

  async #look(path: string): Promise<JournalView> {
    const source = await lookAtJournal(
      path,
      () => this.#changed(null),
      (error) => this.#telling.failed(error),
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
      throw sameId(source.directory, other);
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

  async #watch(
    { target }: RequestOf<'processes.watch'>,
    watched: WatchedProcess,
  ): Promise<Record<string, never>> {
    if (target === null) watched.stop();
    else await watched.start(this.#source(target.journalId), target.process);
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
  #command(name: CommandName, request: CommandRequest): Promise<Outcome> {
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

  /** @throws `journal.read-only` */
  #liveOf(journalId: string): LiveWorkspace {
    const source = this.#source(journalId);
    if (this.#live !== null && source === this.#live) return this.#live;
    throw new AppError(
      'journal.read-only',
      `${source.directory} is only looked at from here, so nothing can be done to its processes. Use the console that runs it.`,
      { journalId },
    );
  }

  async #carryOut(name: CommandName, request: CommandRequest): Promise<Outcome> {
    const live = this.#liveOf(request.journalId);
    const outcome = await carryOut(name, live.runtime.process(request.process), request, {
      operator: this.#options.operator,
      hostJournal: this.#hostJournal,
    });
    this.#changed(request.process);
    return outcome;
  }

  subscribe(listener: (event: ConsoleEvent) => void): () => void {
    return this.#telling.subscribe(listener);
  }

  setVisible(visible: boolean): void {
    this.#isVisible = visible;
    this.#ownWatched.setPeriod(visible ? PERIOD_MS : HIDDEN_PERIOD_MS);
    this.#setPeriod();
  }

  #setSubscribers(count: number): void {
    this.#subscribers = count;
    this.#setPeriod();
  }

  /** Somebody may look who is not seen from here. */
  #setPeriod(): void {
    this.#telling.setPeriod(this.#isVisible || this.#subscribers > 0 ? PERIOD_MS : HIDDEN_PERIOD_MS);
  }

  busy(): readonly string[] {
    const processes = [...(this.#live?.runtime.processes.values() ?? [])];
    return processes.filter((process) => process.live.running > 0).map((process) => process.name);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#socket?.stopListening();
    // What was asked before is done before: after it nothing is there to do it to.
    await Promise.allSettled([...this.#commands.values()].map(({ outcome }) => outcome));
    for (const watched of this.#watched) watched[Symbol.dispose]();
    this.#telling[Symbol.dispose]();
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
    await this.#hostJournal?.close();
    // Last: whoever is attached finds the journal as it was left.
    this.#socket?.close();
  }

  #changed(process: string | null): void {
    if (this.#closing !== null) return;
    this.#telling.touch();
    for (const watched of this.#watched) watched.touch(process);
  }
}

function outputLine({ level, eventId, ...line }: OutputLine): OutputView {
  return { ...line, level: level ?? null, eventId: eventId ?? null };
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
