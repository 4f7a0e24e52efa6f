// A workspace that this host runs: its journal, opened for writing, and the runtime on it.

import { accessSync, constants, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ToolsView } from '../contract/tools-view.ts';
import { toolsView } from './tools-view.ts';
import type { JournalView, PreviewView, ProcessDetail, ProcessRow, TimelinePage } from '../contract/views.ts';
import { SecretVault } from '../governance/secret-vault.ts';
import { openFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { whyShared } from '../journal/shared-disk.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { passingMemory } from '../agent/memory/memory-place.ts';
import { planOf, type MemoryPlan } from '../model/agent-plan.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { missionRoom } from '../model/mission-step.ts';
import type { Cursor, SecretStore, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { Scrub } from '../model/scrubber.ts';
import { dayOf, timestampOf } from '../model/time.ts';
import { checkTriggers } from '../runtime/trigger-list.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { AgentRuntime } from '../runtime/agent-runtime.ts';
import { capLedger } from './cap-ledger.ts';
import { cut } from './cut.ts';
import { receiversOf } from './escalation-views.ts';
import { isSharedDiskAllowed } from './data-directory.ts';
import { timelinePage, type JournalSource } from './journal-source.ts';
import { sizeOf, sumOf, titleOf } from './looked-at-journal.ts';
import { keepOutput, outputSinks, type OutputSinks } from './keep-output.ts';
import { fewStarts } from './few-starts.ts';
import { forkManifest, type ForkManifest } from './fork-manifest.ts';
import type { RunningManifest } from './manifest-scan.ts';
import { Manifests } from './manifests.ts';
import { findOrphans, orphanOf, orphanWhy, type Orphan } from './orphans.ts';
import { previewOf, type PreviewInput } from './preview.ts';
import { noMemory, type MemoryAt } from './memory-look.ts';
import {
  asRecorded,
  pauseView,
  processDetail,
  processRow,
  waitingInput,
  type DetailInput,
} from './read-model.ts';
import { secretViews } from './secret-commands.ts';
import { modelJudgesIn } from './model-judge.ts';
import { rowCache } from './row-cache.ts';
import { runtimeOn } from './runtime-on.ts';
import type { WaitingInput } from './waiting-views.ts';
import { capFiles, capsOf, watchCaps } from './workspace-caps.ts';

const MAX_NOTE = 4_000;
export const LOOP_TURN_MS = 20;

export interface LiveWorkspaceOptions {
  readonly workspace: string;
  readonly workerHost: WorkerHost;
  /** Where it is remembered how far journals go, apart from them; null for nowhere. */
  readonly knownJournals: string | null;
  /** What the host knows of secrets; of this workspace alone unless given. */
  readonly vault?: SecretVault;
  /** Of a host that has a keychain. */
  readonly secretStore?: SecretStore | null;
  readonly onChange: (process: string) => void;
  /** Somebody outside could not be told what is wrong, and is not told any more. */
  readonly onUntold?: (message: string) => void;
  /** Caps were changed to what makes no sense, and stay as they were. */
  readonly onFailure: (error: unknown) => void;
}

export interface LiveWorkspace extends JournalSource {
  /** What an action would find and do; nothing is done. */
  preview(process: string, action: PreviewInput['action']): PreviewView;
  readonly runtime: AgentRuntime;
  /** The directory that paths in manifests are relative to. */
  readonly workspace: string;
  /** The manifest that a fork of this process would have. @throws `manifest.*`, `trigger.*` */
  forkManifest(process: string, name: string, changes: Readonly<Record<string, Json>>): ForkManifest;
  /** What of the manifests is in force, and what is not. */
  readonly manifests: Manifests;
  /** A process began while the workspace was open; its manifest lies there. */
  began(process: string, manifest: string): void;
  /** Manifests that could not be used. */
  readonly problems: readonly AppError[];
  /** How far apart the turns of the host's event loop were, which is {@link LOOP_TURN_MS} at the least, since it was told last. */
  readonly loopDelay: ReturnType<typeof monitorEventLoopDelay>;
  /** Of its journal; null where that could not be asked. */
  sizeBytes(): number | null;
}

/**
 * Takes the workspace's journal and recovers everything in it; resolves when all of it is going.
 * @throws `workspace.*`, `journal.*`
 */
export async function openLiveWorkspace(options: LiveWorkspaceOptions): Promise<LiveWorkspace> {
  const { workspace, workerHost, vault = new SecretVault(), secretStore = null, onChange } = options;
  const { definitions, paths, texts, problems } = usable(loadWorkspace(workspace));
  const files = capFiles(workspace, options.knownJournals);
  const caps = capsOf(files);
  const journal = openJournal(workspace, options.knownJournals);
  const passing = passingMemoryOf(workspace);
  const touched = new Set<string>();
  const sinks = outputSinks(journal.directory, { scrub: (text) => vault.text(text) });
  const data = options.knownJournals === null ? null : dirname(options.knownJournals);
  const ledger = data === null ? null : capLedger(data, journal.marker!.id, options.onFailure);
  let runtime: AgentRuntime | null = null;
  try {
    if (caps.all !== undefined) ledger?.open();
    runtime = runtimeOn(journal, {
      definitions,
      workerHost: fewStarts(
        keepOutput(workerHost, (process) => sinks.of(process)),
        availableParallelism() * STARTS_PER_CORE,
      ),
      maxWorkers: maxWorkers(),
      vault,
      secretStore,
      needsPolling: whyShared,
      modelJudges: modelJudgesIn(workspace),
      ...(options.onUntold === undefined ? {} : { onUntold: options.onUntold }),
      caps,
      capLedger: ledger,
      onChange: (process) => {
        touched.add(process);
        onChange(process);
      },
    });
    await runtime.start();
    const orphans = await findOrphans(journal, runtime.processes);
    const started = runtime;
    const watch = watchCaps(files, {
      onChange: (changed) => {
        if (changed.all !== undefined) ledger?.open();
        started.changeCaps(changed);
      },
      onFailure: options.onFailure,
    });
    const held = [watch, sinks, passing, ...(ledger === null ? [] : [ledger])];
    const running = definitions.map((definition) => {
      const { name } = definition;
      return { file: basename(paths.get(name)!), text: texts.get(name)!, definition };
    });
    const { onFailure } = options;
    const onManifests = (): void => onChange('');
    const more = { running, scrub: vault, onManifests, onFailure };
    return new Live({ workspace, journal, runtime, problems, touched, orphans, sinks, held, ...more });
  } catch (error) {
    // What is open is let go of, whatever becomes of it; why it failed is what counts.
    await Promise.allSettled([runtime?.quit()]);
    sinks[Symbol.dispose]();
    ledger?.[Symbol.dispose]();
    await Promise.allSettled([journal.close()]);
    throw error;
  }
}

/** What agents remember as long as a host runs them: nothing of an earlier one, and nothing is left of it. */
function passingMemoryOf(workspace: string): Disposable {
  const empty = (): void => rmSync(passingMemory(workspace), { recursive: true, force: true });
  empty();
  return { [Symbol.dispose]: empty };
}

const STARTS_PER_CORE = 2;
const WORKERS_PER_CORE = 8;
const LEAST_WORKERS = 16;

/** So many workers run at once that the machine is busy, and not so many that it has no memory left. */
function maxWorkers(): number {
  const asked = Number(process.env['HOLDFAST_MAX_WORKERS']);
  if (Number.isInteger(asked) && asked >= 1) return asked;
  return Math.max(LEAST_WORKERS, availableParallelism() * WORKERS_PER_CORE);
}

function openJournal(workspace: string, knownJournals: string | null): FileJournal {
  const directory = join(workspace, WORKSPACE_JOURNAL);
  try {
    return openFileJournal(directory, {
      workspace: '..',
      knownJournals,
      allowSharedDisk: isSharedDiskAllowed(),
    });
  } catch (error) {
    if (error instanceof AppError && error.code !== 'journal.unwritable') throw error;
    throw new AppError(
      'workspace.not-writable',
      `${directory} can't be written, and without a journal nothing is run: ${whyNotWritable(workspace) ?? messageOf(error)}. Make the workspace writable, or copy it to where it is and run that.`,
      { workspace, code: codeOf(error) },
      { cause: error },
    );
  }
}

/** A directory that can't be made is called missing by some calls, whatever the reason. */
function whyNotWritable(directory: string): string | null {
  try {
    accessSync(directory, constants.W_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Leaves out what could never run, with the reason, instead of starting it to fail. */
function usable({
  definitions,
  problems,
  ...rest
}: ReturnType<typeof loadWorkspace>): ReturnType<typeof loadWorkspace> {
  const found = [...problems];
  const good = definitions.filter((definition) => {
    const problem = triggerProblem(definition);
    if (problem !== null) found.push(problem);
    return problem === null;
  });
  return { ...rest, definitions: good, problems: found };
}

function triggerProblem({ name, config }: ProcessDefinition): AppError | null {
  try {
    checkTriggers(config.triggers);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return new AppError(
      error.code,
      `${name}: ${error.message}`,
      { ...error.detail, process: name },
      { cause: error },
    );
  }
}

interface LiveParts {
  readonly workspace: string;
  readonly running: readonly RunningManifest[];
  readonly scrub: Scrub;
  readonly onManifests: () => void;
  readonly onFailure: (error: unknown) => void;
  readonly journal: FileJournal;
  readonly runtime: AgentRuntime;
  readonly problems: readonly AppError[];
  /** The processes that told of a change; whoever looks takes them out. */
  readonly touched: Set<string>;
  readonly orphans: readonly Orphan[];
  readonly sinks: OutputSinks;
  /** Let go of with the workspace. */
  readonly held: readonly Disposable[];
}

class Live implements LiveWorkspace {
  readonly loopDelay = monitorEventLoopDelay({ resolution: LOOP_TURN_MS });
  readonly id: string;
  readonly directory: string;
  readonly runtime: AgentRuntime;
  readonly problems: readonly AppError[];
  readonly workspace: string;
  readonly manifests: Manifests;
  readonly #journal: FileJournal;
  readonly #note: string;
  readonly #touched: Set<string>;
  readonly #sinks: OutputSinks;
  readonly #held: readonly Disposable[];
  readonly #orphans: Map<string, Orphan>;
  readonly #rows = rowCache();
  readonly #sizes = new Map<string, number | null>();

  constructor(parts: LiveParts) {
    const { workspace, journal, runtime, problems, touched, orphans, sinks, held } = parts;
    this.workspace = workspace;
    this.#sinks = sinks;
    this.#held = held;
    this.loopDelay.enable();
    this.#orphans = new Map(orphans.map((orphan) => [orphan.name, orphan]));
    this.id = journal.marker!.id;
    this.directory = journal.directory;
    this.runtime = runtime;
    this.problems = problems;
    this.#journal = journal;
    this.#touched = touched;
    const note = problems.map((problem) => problem.message).join(' ');
    this.manifests = new Manifests({
      workspace,
      runtime,
      running: parts.running,
      scrub: parts.scrub,
      journalId: this.id,
      directory: this.directory,
      orphan: (process) => this.#orphans.get(process) ?? null,
      onAdded: (process) => this.#added(process),
      onRemoved: (process) => this.#removed(process),
      onChange: parts.onManifests,
      onFailure: parts.onFailure,
    });
    this.#note = note === '' ? 'Run by this console.' : cut(note, MAX_NOTE);
    for (const name of [...runtime.processes.keys(), ...this.#orphans.keys()]) touched.add(name);
  }

  view(): JournalView {
    this.#takeTouched();
    return {
      id: this.id,
      title: titleOf(this.directory),
      directory: this.directory,
      access: 'live',
      format: 'holdfast',
      // What fails behind the scenes concerns nobody's work, and has to be seen all the same.
      note: this.#journal.trouble?.message ?? this.#sinks.trouble()?.message ?? this.#note,
      asOf: null,
      sizeBytes: this.sizeBytes(),
      badLines: 0,
      triggersHeld: pauseView(this.runtime.triggerSwitch.standing?.pause ?? null),
      manifests: this.manifests.book.counts,
    };
  }

  rows(): readonly ProcessRow[] {
    this.#takeTouched();
    const today = dayOf(timestampOf(Date.now()));
    const running = [...this.runtime.processes.values()].map((process) =>
      this.#rows.row(process.name, factsOf(process, today), () => processRow(this.#input(process))),
    );
    const orphaned = [...this.#orphans.values()].map((orphan) =>
      this.#rows.row(orphan.name, [orphan, today], () => processRow(this.#orphanInput(orphan))),
    );
    return [...running, ...orphaned];
  }

  sizeBytes(): number | null {
    this.#takeTouched();
    return sumOf(this.#sizes.values());
  }

  #takeTouched(): void {
    for (const name of this.#touched) {
      this.#rows.drop(name);
      this.#sizes.set(name, sizeOf(this.#journal, name));
    }
    this.#touched.clear();
  }

  preview(name: string, action: PreviewInput['action']): PreviewView {
    const process = this.runtime.process(name);
    const { worker, isAnswering } = process.live;
    return previewOf({
      action,
      snapshot: process.snapshot,
      worker: worker === null ? null : { ...worker, isAnswering },
      nowMs: Date.now(),
    });
  }

  forkManifest(process: string, name: string, changes: Readonly<Record<string, Json>>): ForkManifest {
    const { name: found, snapshot } = this.runtime.process(process);
    if (snapshot.parent === null)
      return forkManifest(this.workspace, this.manifests.book.pathOf(found), name, changes);
    throw new AppError(
      'fork.no-manifest',
      `${process} was begun by another process and has no manifest that a fork could begin with. Fork the one that it comes from.`,
      { process },
    );
  }

  began(process: string, manifest: string): void {
    this.manifests.book.began(this.runtime.process(process).definition, manifest);
    this.#added(process);
  }

  #added(process: string): void {
    this.#orphans.delete(process);
    this.#touched.add(process);
  }

  /** One that kept no journal leaves nothing. */
  async #removed(process: string): Promise<void> {
    const isKept = (await this.#journal.processes()).includes(process);
    if (isKept) this.#orphans.set(process, await orphanOf(this.#journal, process));
    else this.#sizes.delete(process);
    this.#rows.drop(process);
  }

  detail(name: string): ProcessDetail {
    const orphan = this.#orphans.get(name);
    if (orphan !== undefined) return processDetail(this.#orphanInput(orphan));
    return processDetail(this.#input(this.runtime.process(name)));
  }

  tools(name: string): ToolsView {
    const orphan = this.#orphans.get(name)?.snapshot;
    if (orphan !== undefined) {
      return toolsView({ snapshot: orphan, plan: planOf(orphan.plan), told: null, isNow: false });
    }
    const process = this.runtime.process(name);
    const told = process.toolServers();
    const isNow = told !== null && process.live.worker?.generation === told.generation;
    return toolsView({ snapshot: process.snapshot, plan: process.settings.config.agent, told, isNow });
  }

  waiting(): readonly WaitingInput[] {
    const running = [...this.runtime.processes.values()].map((process) => this.#input(process));
    const orphaned = [...this.#orphans.values()].map((orphan) => this.#orphanInput(orphan));
    return [...running, ...orphaned].map(waitingInput);
  }

  #input(process: AgentProcess): DetailInput {
    const { live, definition, snapshot, triggers } = process;
    return {
      journalId: this.id,
      name: process.name,
      description: definition.description,
      snapshot,
      live: {
        trouble: live.trouble?.message ?? null,
        worker: live.worker,
        hasWorker: live.worker !== null,
        isRunning: live.isRunning,
        isSpawning: live.isSpawning,
        isAnswering: live.isAnswering,
        isInLine: live.isInLine,
        saying: live.saying,
        respawnsAt: isoOf(live.respawnAt),
        restartsAt: isoOf(live.restartAt),
        nextTrigger: triggers.next,
        triggerProblem: triggers.problem?.message ?? null,
        waitsForVerdict: missionRoom(definition.config.mission, snapshot) === 0,
      },
      unknown: null,
      budget: process.settings.config.budget,
      receivers: receiversOf(definition.config),
      mission: definition.config.mission,
      nowMs: Date.now(),
      triggers: triggers.views().map((trigger) => ({ ...trigger })),
      journalLevel: definition.config.journalLevel,
      health: definition.config.health,
      workerDetail: workerView(process),
      secrets: secretViews(process.secrets()),
      memory: memoryPlanOf(process),
    };
  }

  #orphanInput(orphan: Orphan): DetailInput {
    const { name, snapshot } = orphan;
    return { ...asRecorded(this.id, name, snapshot), orphaned: orphanWhy(orphan) };
  }

  memoryOf(name: string): MemoryAt {
    const orphan = this.#orphans.get(name);
    const plan =
      orphan === undefined
        ? memoryPlanOf(this.runtime.process(name))
        : (planOf(orphan.snapshot.plan)?.memory ?? null);
    if (plan === null) throw noMemory(name);
    return { plan, workspace: this.workspace };
  }

  timeline(process: string, limit: number, before: Cursor | null): Promise<TimelinePage> {
    return timelinePage(this.#journal, process, limit, before);
  }

  async close(): Promise<void> {
    this.manifests[Symbol.dispose]();
    await this.runtime.quit();
    this.loopDelay.disable();
    for (const held of this.#held) held[Symbol.dispose]();
    await this.#journal.close();
  }
}

/** That of its manifest, with which the next invocation begins. */
function memoryPlanOf({ definition, snapshot }: AgentProcess): MemoryPlan | null {
  return (definition.config.agent ?? planOf(snapshot.plan))?.memory ?? null;
}

function workerView(process: AgentProcess): ProcessDetail['workerDetail'] {
  const facts = process.workerFacts();
  if (facts === null) return null;
  const { pid, generation, startedAt, rssBytes, cpuPercent } = facts;
  const { isAnswering } = process.live;
  return { pid, generation, startedAt: isoOf(startedAt), rssBytes, cpuPercent, isAnswering };
}

/** Everything that a row of this process is made of: an entry more, or another live state, is another row. */
function factsOf({ snapshot, live, triggers }: AgentProcess, today: string): readonly unknown[] {
  const { trouble, worker, isSpawning, isAnswering, isInLine, saying, respawnAt, restartAt } = live;
  const next = triggers.next;
  return [
    snapshot,
    snapshot.seq,
    trouble,
    worker?.pid,
    worker?.generation,
    isSpawning,
    isAnswering,
    isInLine,
    saying?.wait?.text,
    saying?.wait?.untilMs,
    respawnAt,
    restartAt,
    next?.id,
    next?.at,
    triggers.problem?.message,
    today,
  ];
}

function isoOf(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
