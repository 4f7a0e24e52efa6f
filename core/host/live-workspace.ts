// A workspace that this host runs: its journal, opened for writing, and the runtime on it.

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { JournalView, ProcessDetail, ProcessRow, TimelinePage } from '../contract/views.ts';
import { openFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Cursor, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { dayOf, timestampOf } from '../model/time.ts';
import { checkCron } from '../triggers/cron.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import { AgentRuntime } from '../runtime/agent-runtime.ts';
import { cut } from './cut.ts';
import { timelinePage, type JournalSource } from './journal-source.ts';
import { sizeOf, sumOf, titleOf } from './looked-at-journal.ts';
import { processDetail, processRow, type DetailInput } from './read-model.ts';
import { rowCache } from './row-cache.ts';
import { systemClock } from './system-clock.ts';

const MAX_NOTE = 4_000;

export interface LiveWorkspaceOptions {
  readonly workspace: string;
  readonly workerHost: WorkerHost;
  /** Where it is remembered how far journals go, apart from them; null for nowhere. */
  readonly knownJournals: string | null;
  readonly onChange: (process: string) => void;
}

export interface LiveWorkspace extends JournalSource {
  readonly runtime: AgentRuntime;
  /** Manifests that could not be used. */
  readonly problems: readonly AppError[];
}

/**
 * Takes the workspace's journal and recovers everything in it; resolves when all of it is going.
 * @throws `workspace.*`, `journal.*`
 */
export async function openLiveWorkspace(options: LiveWorkspaceOptions): Promise<LiveWorkspace> {
  const { workspace, workerHost, onChange } = options;
  const { definitions, problems } = usable(loadWorkspace(workspace));
  const journal = openJournal(workspace, options.knownJournals);
  const touched = new Set<string>();
  let runtime: AgentRuntime | null = null;
  try {
    runtime = new AgentRuntime({
      definitions,
      journal,
      journalId: journal.marker!.id,
      workerHost,
      clock: systemClock(),
      ids: { next: () => crypto.randomUUID() },
      onChange: (process) => {
        touched.add(process);
        onChange(process);
      },
    });
    await runtime.start();
    return new Live({ journal, runtime, problems, touched });
  } catch (error) {
    // What is open is let go of, whatever becomes of it; why it failed is what counts.
    await Promise.allSettled([runtime?.quit()]);
    await Promise.allSettled([journal.close()]);
    throw error;
  }
}

/** Somebody insists that a network disk or a synced folder will do [S10]. */
function isSharedDiskAllowed(): boolean {
  return process.env['HOLDFAST_ALLOW_SHARED_DISK'] === '1';
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
}: ReturnType<typeof loadWorkspace>): ReturnType<typeof loadWorkspace> {
  const found = [...problems];
  const good = definitions.filter((definition) => {
    const problem = triggerProblem(definition);
    if (problem !== null) found.push(problem);
    return problem === null;
  });
  return { definitions: good, problems: found };
}

function triggerProblem({ name, config }: ProcessDefinition): AppError | null {
  try {
    for (const trigger of config.triggers) if (trigger.type === 'cron') checkCron(trigger);
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
  readonly journal: FileJournal;
  readonly runtime: AgentRuntime;
  readonly problems: readonly AppError[];
  /** The processes that told of a change; whoever looks takes them out. */
  readonly touched: Set<string>;
}

class Live implements LiveWorkspace {
  readonly id: string;
  readonly directory: string;
  readonly runtime: AgentRuntime;
  readonly problems: readonly AppError[];
  readonly #journal: FileJournal;
  readonly #note: string;
  readonly #touched: Set<string>;
  readonly #rows = rowCache();
  readonly #sizes = new Map<string, number | null>();

  constructor({ journal, runtime, problems, touched }: LiveParts) {
    this.id = journal.marker!.id;
    this.directory = journal.directory;
    this.runtime = runtime;
    this.problems = problems;
    this.#journal = journal;
    this.#touched = touched;
    const note = problems.map((problem) => problem.message).join(' ');
    this.#note = note === '' ? 'Run by this console.' : cut(note, MAX_NOTE);
    for (const name of runtime.processes.keys()) touched.add(name);
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
      note: this.#journal.trouble?.message ?? this.#note,
      sizeBytes: sumOf(this.#sizes.values()),
      badLines: 0,
    };
  }

  rows(): readonly ProcessRow[] {
    this.#takeTouched();
    const today = dayOf(timestampOf(Date.now()));
    return [...this.runtime.processes.values()].map((process) =>
      this.#rows.row(process.name, factsOf(process, today), () => processRow(this.#input(process))),
    );
  }

  #takeTouched(): void {
    for (const name of this.#touched) {
      this.#rows.drop(name);
      this.#sizes.set(name, sizeOf(this.#journal, name));
    }
    this.#touched.clear();
  }

  detail(name: string): ProcessDetail {
    return processDetail(this.#input(this.runtime.process(name)));
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
        respawnsAt: isoOf(live.respawnAt),
        restartsAt: isoOf(live.restartAt),
        nextTrigger: triggers.next,
      },
      unknown: null,
      maxRunsPerDay: definition.config.maxRunsPerDay,
      nowMs: Date.now(),
      triggers: triggers.views().map((trigger) => ({ ...trigger })),
      journalLevel: definition.config.journalLevel,
    };
  }

  timeline(process: string, limit: number, before: Cursor | null): Promise<TimelinePage> {
    return timelinePage(this.#journal, process, limit, before);
  }

  async close(): Promise<void> {
    await this.runtime.quit();
    await this.#journal.close();
  }
}

/** Everything that a row of this process is made of: an entry more, or another live state, is another row. */
function factsOf({ snapshot, live, triggers }: AgentProcess, today: string): readonly unknown[] {
  const { trouble, worker, isSpawning, isAnswering, respawnAt, restartAt } = live;
  const next = triggers.next;
  return [
    snapshot,
    snapshot.seq,
    trouble,
    worker?.pid,
    worker?.generation,
    isSpawning,
    isAnswering,
    respawnAt,
    restartAt,
    next?.id,
    next?.at,
    today,
  ];
}

function isoOf(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
