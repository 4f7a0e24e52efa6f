// A workspace that this host runs, as the console sees it: its processes, and those that no manifest defines any more.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { JournalView } from '../contract/fleet-views.ts';
import type { PreviewView } from '../contract/preview-view.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import type { TimelinePage } from '../contract/timeline-views.ts';
import type { ToolsView } from '../contract/tools-view.ts';
import type { FileJournal } from '../journal/file-journal.ts';
import { planOf } from '../model/agent-plan.ts';
import { AppError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Cursor } from '../model/ports.ts';
import type { Scrub } from '../model/scrubber.ts';
import { dayOf, timestampOf } from '../model/time.ts';
import type { AgentRuntime } from '../runtime/agent-runtime.ts';
import { cut } from './cut.ts';
import { forkManifest, type ForkManifest } from './fork-manifest.ts';
import { timelinePage, type JournalSource } from './journal-source.ts';
import type { OutputSinks } from './keep-output.ts';
import type { LiveChanges } from './live-changes.ts';
import { liveFacts, liveInput, liveMemoryPlan } from './live-input.ts';
import { titleOf } from './looked-at-journal.ts';
import type { RunningManifest } from './manifest-scan.ts';
import { Manifests } from './manifests.ts';
import { noMemory, type MemoryAt } from './memory-look.ts';
import { orphanOf, orphanWhy, type Orphan } from './orphans.ts';
import { previewOf, type PreviewInput } from './preview.ts';
import {
  asRecorded,
  pauseView,
  processDetail,
  processRow,
  waitingInput,
  type DetailInput,
} from './read-model.ts';
import { toolsView } from './tools-view.ts';
import type { WaitingInput } from './waiting-views.ts';

const MAX_NOTE = 4_000;
export const LOOP_TURN_MS = 20;

export interface LiveParts {
  /** The directory that paths in manifests are relative to. */
  readonly workspace: string;
  readonly running: readonly RunningManifest[];
  readonly scrub: Scrub;
  readonly onManifests: () => void;
  readonly onFailure: (error: unknown) => void;
  readonly journal: FileJournal;
  /** Started. */
  readonly runtime: AgentRuntime;
  /** Manifests that could not be used. */
  readonly problems: readonly AppError[];
  readonly changes: LiveChanges;
  readonly orphans: readonly Orphan[];
  readonly sinks: OutputSinks;
  /** Let go of with the workspace. */
  readonly held: readonly Disposable[];
}

export class LiveWorkspace implements JournalSource {
  /** How far apart the turns of the host's event loop were, which is {@link LOOP_TURN_MS} at the least, since it was told last. */
  readonly loopDelay = monitorEventLoopDelay({ resolution: LOOP_TURN_MS });
  readonly id: string;
  readonly directory: string;
  readonly runtime: AgentRuntime;
  /** Manifests that could not be used. */
  readonly problems: readonly AppError[];
  /** The directory that paths in manifests are relative to. */
  readonly workspace: string;
  /** What of the manifests is in force, and what is not. */
  readonly manifests: Manifests;
  readonly #journal: FileJournal;
  readonly #changes: LiveChanges;
  readonly #sinks: OutputSinks;
  readonly #held: readonly Disposable[];
  readonly #orphans: Map<string, Orphan>;
  readonly #note: string;

  constructor(parts: LiveParts) {
    const { workspace, journal, runtime, problems, changes, orphans, sinks, held } = parts;
    this.id = journal.marker!.id;
    this.directory = journal.directory;
    this.runtime = runtime;
    this.problems = problems;
    this.workspace = workspace;
    this.#journal = journal;
    this.#changes = changes;
    this.#sinks = sinks;
    this.#held = held;
    this.#orphans = new Map(orphans.map((orphan) => [orphan.name, orphan]));
    const note = problems.map((problem) => problem.message).join(' ');
    this.#note = note === '' ? 'Run by this console.' : cut(note, MAX_NOTE);
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
    this.loopDelay.enable();
    for (const name of [...runtime.processes.keys(), ...this.#orphans.keys()]) changes.touch(name);
  }

  view(): JournalView {
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

  /** Of its journal; null where that could not be asked. */
  sizeBytes(): number | null {
    return this.#changes.sizeBytes();
  }

  rows(): readonly ProcessRow[] {
    const today = dayOf(timestampOf(Date.now()));
    const running = [...this.runtime.processes.values()].map((process) =>
      this.#changes.row(process.name, [...liveFacts(process), today], () =>
        processRow(liveInput(this.id, process)),
      ),
    );
    const orphaned = [...this.#orphans.values()].map((orphan) =>
      this.#changes.row(orphan.name, [orphan, today], () => processRow(this.#orphanInput(orphan))),
    );
    return [...running, ...orphaned];
  }

  // --- one process

  detail(name: string): ProcessDetail {
    const orphan = this.#orphans.get(name);
    if (orphan !== undefined) return processDetail(this.#orphanInput(orphan));
    return processDetail(liveInput(this.id, this.runtime.process(name)));
  }

  tools(name: string): ToolsView {
    const orphan = this.#orphans.get(name)?.snapshot;
    if (orphan !== undefined) {
      return toolsView({ snapshot: orphan, plan: planOf(orphan.plan), told: null, isNow: false });
    }
    const process = this.runtime.process(name);
    const told = process.runner.servers;
    const isNow = told !== null && process.live.worker?.generation === told.generation;
    return toolsView({ snapshot: process.snapshot, plan: process.settings.config.agent, told, isNow });
  }

  memoryOf(name: string): MemoryAt {
    const orphan = this.#orphans.get(name);
    const plan =
      orphan === undefined
        ? liveMemoryPlan(this.runtime.process(name))
        : (planOf(orphan.snapshot.plan)?.memory ?? null);
    if (plan === null) throw noMemory(name);
    return { plan, workspace: this.workspace };
  }

  /** What an action would find and do; nothing is done. */
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

  timeline(process: string, limit: number, before: Cursor | null): Promise<TimelinePage> {
    return timelinePage(this.#journal, process, limit, before);
  }

  waiting(): readonly WaitingInput[] {
    const running = [...this.runtime.processes.values()].map((process) => liveInput(this.id, process));
    const orphaned = [...this.#orphans.values()].map((orphan) => this.#orphanInput(orphan));
    return [...running, ...orphaned].map(waitingInput);
  }

  #orphanInput(orphan: Orphan): DetailInput {
    const { name, snapshot } = orphan;
    return { ...asRecorded(this.id, name, snapshot), orphaned: orphanWhy(orphan) };
  }

  // --- processes that come and go while it is open

  /** The manifest that a fork of this process would have. @throws `manifest.*`, `trigger.*` */
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

  /** A process began while the workspace was open; its manifest lies there. */
  began(process: string, manifest: string): void {
    this.manifests.book.began(this.runtime.process(process).definition, manifest);
    this.#added(process);
  }

  #added(process: string): void {
    this.#orphans.delete(process);
    this.#changes.touch(process);
  }

  /** One that kept no journal leaves nothing. */
  async #removed(process: string): Promise<void> {
    const isKept = (await this.#journal.processes()).includes(process);
    if (isKept) {
      this.#orphans.set(process, await orphanOf(this.#journal, process));
      this.#changes.touch(process);
    } else this.#changes.forget(process);
  }

  async close(): Promise<void> {
    this.manifests[Symbol.dispose]();
    await this.runtime.quit();
    this.loopDelay.disable();
    for (const held of this.#held) held[Symbol.dispose]();
    await this.#journal.close();
  }
}
