// The host behind every console: wires journals, runtime and read model to the contract.

import { dirname, join } from 'node:path';
import type { ConsoleEvent, ConsoleHost } from '../contract/console-host.ts';
import type { Result } from '../contract/define.ts';
import type { RequestName } from '../contract/requests.ts';
import type { AppView } from '../contract/app-view.ts';
import type { FleetView } from '../contract/fleet-views.ts';
import { isSecretUrl } from '../governance/receiver-secrets.ts';
import { SecretVault } from '../governance/secret-vault.ts';
import { WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { readMarker } from '../journal/marker.ts';
import { codeOf } from '../model/errors.ts';
import type { SecretStore, WorkerHost } from '../model/ports.ts';
import { aliveness } from './aliveness.ts';
import { answerRequest, failure } from './answer-request.ts';
import { attachedConsole } from './attached-console.ts';
import { webhookPost } from '../governance/webhook-post.ts';
import { FleetTelling, HIDDEN_PERIOD_MS, PERIOD_MS } from './fleet-telling.ts';
import { hostJournal, type HostJournal } from './host-journal.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import { openLiveWorkspace } from './open-workspace.ts';
import {
  heartbeatInEnvironment,
  heartbeatOf,
  outgoingHeartbeat,
  type HeartbeatConfig,
} from './outgoing-heartbeat.ts';
import { systemClock } from './system-clock.ts';
import { serveLocalSocket, type ConsoleSession, type LocalSocket } from './local-socket.ts';
import {
  carryOut,
  type CommandName,
  type CommandRequest,
  type Outcome,
  type Recording,
} from './operator-commands.ts';
import { closing, OpenJournals } from './open-journals.ts';
import { RememberedCommands } from './remembered-commands.ts';
import { seekHost, type ReachedHost } from './seek-host.ts';
import { socketPath } from './socket-path.ts';
import { switchTriggers } from './trigger-switch-command.ts';
import { watchedProcess, type WatchedProcess } from './watched-process.ts';

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
  /** The operating system's keychain, where this shell has one. */
  readonly secretStore?: SecretStore | null;
  /** The operating system's user. */
  readonly operator: string;
  /** Lets the operator choose a directory; null when they chose none. */
  readonly chooseJournal: () => Promise<string | null>;
  /** Where it is said that this host is alive; left out for what the environment asks for. */
  readonly heartbeat?: HeartbeatConfig;
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
    if (reached !== null) {
      if (options.heartbeat !== undefined) host.noHeartbeat(workspace);
      return attachedConsole({ host: reached, looking: host });
    }
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

/**
 * With a value of its own, with the name of a place that is what it is, or with a text that is refused where it holds one: what
 * was taken out of it would be saved as taken out.
 */
const NAMES_PLACES: ReadonlySet<string> = new Set<RequestName>([
  'secrets.rotate',
  'journals.open',
  'manifests.plan',
  'manifests.write',
]);

class Host implements ConsoleHost {
  readonly #options: ConsoleHostOptions;
  /** Whatever leaves this host goes through here [J10]. */
  readonly #vault = new SecretVault();
  readonly #telling = new FleetTelling(() => this.#journals.parts());
  readonly #journals = new OpenJournals({
    onChange: () => this.#changed(null),
    onFailure: (error) => this.#telling.failed(error),
  });
  readonly #commands = new RememberedCommands();
  /** What each console has open: our own, and those behind the socket. */
  readonly #watched = new Set<WatchedProcess>();
  readonly #ownWatched = this.#newWatched((event) => this.#telling.tell(event));
  #socket: LocalSocket | null = null;
  #hostJournal: HostJournal | null = null;
  #heartbeat: Disposable | null = null;
  #isVisible = true;
  #subscribers = 0;
  #closing: Promise<void> | null = null;

  constructor(options: ConsoleHostOptions) {
    this.#options = options;
  }

  /** @throws what {@link openLiveWorkspace} throws */
  async run(workspace: string): Promise<void> {
    const { workerHost, knownJournals, secretStore = null } = this.#options;
    // Before any worker gets its environment.
    for (const url of [this.#options.heartbeat?.url ?? '', heartbeatInEnvironment().url ?? '']) {
      if (isSecretUrl(url)) this.#vault.know('this host', 'heartbeat_url', url);
    }
    const live = await openLiveWorkspace({
      workspace,
      workerHost,
      knownJournals,
      vault: this.#vault,
      secretStore,
      onChange: (process) => this.#changed(process === '' ? null : process),
      onUntold: (message) => this.#telling.notice({ code: 'escalation.failed', message, tone: 'attention' }),
      onFailure: (error) => this.#telling.noticeOf(error),
    });
    this.#journals.run(live);
    for (const problem of live.problems) this.#telling.noticeOf(problem);
    const data = dataOf(this.#options);
    if (data !== null) {
      this.#hostJournal = hostJournal(data, live.id, this.#vault);
      await this.#listen(data, live.id);
    }
    this.#startHeartbeat(live);
    this.#changed(null);
  }

  /** One that can't be sent is said, and the host runs all the same. */
  #startHeartbeat(live: LiveWorkspace): void {
    try {
      const config = this.#options.heartbeat ?? heartbeatOf(heartbeatInEnvironment());
      if (config === null) return;
      this.#heartbeat = outgoingHeartbeat({
        config,
        clock: systemClock(),
        post: webhookPost(),
        says: () => aliveness(live, config),
        onChange: (data) => void this.#hostJournal?.record('heartbeat_changed', data),
        onFailing: (message) =>
          this.#telling.notice({ code: 'heartbeat.failing', message, tone: 'attention' }),
      });
    } catch (error) {
      this.#telling.noticeOf(error, 'attention');
    }
  }

  /** It was asked for, and another host is the one that lives. */
  noHeartbeat(workspace: string): void {
    this.#telling.notice({
      code: 'heartbeat.not-ours',
      message: `${workspace} is run by another host, to which this console is attached; no heartbeat is sent from here. Start that host with one.`,
      tone: 'attention',
    });
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
      await this.#journals.look(workspace);
    } catch {
      // There is nothing to look at either; the notice above says what is wrong.
    }
    this.#changed(null);
  }

  #newWatched(tell: (event: ConsoleEvent) => void): WatchedProcess {
    const watched = watchedProcess(
      (event) => tell(this.#vault.json(event)),
      (error) => this.#telling.failed(error),
    );
    this.#watched.add(watched);
    return watched;
  }

  #openSession(tell: (event: ConsoleEvent) => void): ConsoleSession {
    let unsubscribe: (() => void) | null = null;
    const watched = this.#newWatched((event) => {
      if (unsubscribe !== null) tell(event);
    });
    const stop = (): void => {
      unsubscribe?.();
      unsubscribe = null;
      // Whoever subscribes again watches again, and so misses nothing without knowing.
      watched.stop();
    };
    return {
      handle: (name, request) => this.#handle(name, request, watched),
      subscribe: () => {
        unsubscribe ??= this.subscribe((event) => {
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
    const { app, chooseJournal } = this.#options;
    const answer = await answerRequest(name, this.#withoutSecrets(name, request), {
      app,
      chooseJournal,
      journals: this.#journals,
      watched,
      // Notices wait for our own console.
      fleet: () => (watched === this.#ownWatched ? this.#telling.read() : this.fleet()),
      switchTriggers: (asked, isHeld) =>
        this.#commands.once(isHeld ? 'hold-triggers' : 'release-triggers', asked, async () => {
          const live = this.#journals.liveOf(asked.journalId);
          const done = await switchTriggers(live, asked, isHeld, this.#recording);
          this.#changed(null);
          return done;
        }),
      changeManifests: (what, asked, act) =>
        this.#commands.once(what, asked, async () => {
          const done = await act(this.#journals.liveOf(asked.journalId), this.#recording);
          this.#changed(null);
          return done;
        }),
      command: (command, asked) => this.#commands.once(command, asked, () => this.#carryOut(command, asked)),
    });
    return this.#vault.json(answer);
  }

  /** Before it is looked at: what is wrong with a request is told, and recorded, in its own words. Only one brings a secret. */
  #withoutSecrets(name: string, request: unknown): unknown {
    return NAMES_PLACES.has(name) ? request : this.#vault.json(request);
  }

  fleet(): FleetView {
    return this.#vault.json(this.#telling.fleet());
  }

  get #recording(): Recording {
    return { operator: this.#options.operator, hostJournal: this.#hostJournal };
  }

  async #carryOut(name: CommandName, request: CommandRequest): Promise<Outcome> {
    const live = this.#journals.liveOf(request.journalId);
    const outcome = await carryOut(name, live, request, this.#recording);
    this.#changed(request.process);
    return outcome;
  }

  subscribe(listener: (event: ConsoleEvent) => void): () => void {
    return this.#telling.subscribe((event) => listener(this.#vault.json(event)));
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
    const processes = [...(this.#journals.live?.runtime.processes.values() ?? [])];
    return processes.filter((process) => process.live.running > 0).map((process) => process.name);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#journals.stopOpening();
    this.#socket?.stopListening();
    this.#heartbeat?.[Symbol.dispose]();
    // What was asked before is done before: after it nothing is there to do it to.
    await this.#commands.settled();
    for (const watched of this.#watched) watched[Symbol.dispose]();
    this.#telling[Symbol.dispose]();
    await this.#journals.closeAll();
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
