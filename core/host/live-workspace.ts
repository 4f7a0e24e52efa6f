// A workspace that this host runs: its journal, opened for writing, and the runtime on it.

import { join } from 'node:path';
import type { JournalView, ProcessDetail, ProcessRow, TimelinePage } from '../contract/views.ts';
import { openFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../journal/layout.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { AppError } from '../model/errors.ts';
import type { Cursor, WorkerHost } from '../model/ports.ts';
import { checkCron } from '../triggers/cron.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import { AgentRuntime } from '../runtime/agent-runtime.ts';
import { timelinePage, type JournalSource } from './journal-source.ts';
import { sizeOf, titleOf } from './looked-at-journal.ts';
import { processDetail, processRow, type DetailInput } from './read-model.ts';
import { systemClock } from './system-clock.ts';

export interface LiveWorkspaceOptions {
  readonly workspace: string;
  readonly workerHost: WorkerHost;
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
  const journal = openFileJournal(join(workspace, WORKSPACE_JOURNAL), { workspace: '..' });
  try {
    const runtime = new AgentRuntime({
      definitions,
      journal,
      journalId: journal.marker!.id,
      workerHost,
      clock: systemClock(),
      ids: { next: () => crypto.randomUUID() },
      onChange,
    });
    await runtime.start();
    return new Live(journal, runtime, problems);
  } catch (error) {
    await journal.close();
    throw error;
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

class Live implements LiveWorkspace {
  readonly id: string;
  readonly directory: string;
  readonly runtime: AgentRuntime;
  readonly problems: readonly AppError[];
  readonly #journal: FileJournal;

  constructor(journal: FileJournal, runtime: AgentRuntime, problems: readonly AppError[]) {
    this.id = journal.marker!.id;
    this.directory = journal.directory;
    this.runtime = runtime;
    this.problems = problems;
    this.#journal = journal;
  }

  view(): JournalView {
    return {
      id: this.id,
      title: titleOf(this.directory),
      directory: this.directory,
      access: 'live',
      format: 'holdfast',
      note:
        this.problems.length === 0
          ? 'Run by this console.'
          : this.problems.map((problem) => problem.message).join(' '),
      sizeBytes: sizeOf(this.#journal, this.runtime.processes.keys()),
      badLines: 0,
    };
  }

  rows(): readonly ProcessRow[] {
    return [...this.runtime.processes.values()].map((process) => processRow(this.#input(process)));
  }

  detail(name: string): ProcessDetail {
    return processDetail(this.#input(this.runtime.process(name)));
  }

  #input(process: AgentProcess): DetailInput {
    const { live, definition, snapshot } = process;
    const triggers = process.triggers.views();
    const next = triggers
      .filter((trigger) => trigger.next !== null)
      .sort((a, b) => (a.next! < b.next! ? -1 : 1))[0];
    return {
      journalId: this.id,
      name: process.name,
      description: definition.description,
      snapshot,
      live: {
        trouble: live.trouble?.message ?? null,
        worker: live.worker,
        hasWorker: live.worker !== null,
        isSpawning: live.isSpawning,
        isAnswering: live.isAnswering,
        respawnsAt: isoOf(live.respawnAt),
        restartsAt: isoOf(live.restartAt),
        nextTrigger: next === undefined ? null : { id: next.id, at: next.next! },
      },
      maxRunsPerDay: definition.config.maxRunsPerDay,
      nowMs: Date.now(),
      triggers: triggers.map((trigger) => ({ ...trigger })),
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

function isoOf(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
