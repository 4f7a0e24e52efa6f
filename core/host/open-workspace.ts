// Taking up a workspace to run it: what is in its folder is read, its journal is opened, and everything in that is set going.

import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname } from 'node:path';
import { passingMemory } from '../agent/memory/memory-place.ts';
import { SecretVault } from '../governance/secret-vault.ts';
import { whyShared } from '../journal/shared-disk.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import type { SecretStore, WorkerHost } from '../model/ports.ts';
import type { AgentRuntime } from '../runtime/agent-runtime.ts';
import { capLedger } from './cap-ledger.ts';
import { fewStarts } from './few-starts.ts';
import { keepOutput, outputSinks } from './keep-output.ts';
import { LiveChanges } from './live-changes.ts';
import { LiveWorkspace } from './live-workspace.ts';
import { modelJudgesIn } from './model-judge.ts';
import { findOrphans } from './orphans.ts';
import { runtimeOn } from './runtime-on.ts';
import { usableManifests } from './usable-manifests.ts';
import { capFiles, capsOf, watchCaps } from './workspace-caps.ts';
import { openWorkspaceJournal } from './workspace-journal.ts';

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

/**
 * Takes the workspace's journal and recovers everything in it; resolves when all of it is going.
 * @throws `workspace.*`, `journal.*`
 */
export async function openLiveWorkspace(options: LiveWorkspaceOptions): Promise<LiveWorkspace> {
  const { workspace, workerHost, vault = new SecretVault(), secretStore = null } = options;
  const { knownJournals, onChange, onFailure } = options;
  const { definitions, paths, texts, problems } = usableManifests(loadWorkspace(workspace));
  const files = capFiles(workspace, knownJournals);
  const caps = capsOf(files);
  const journal = openWorkspaceJournal(workspace, knownJournals);
  const passing = passingMemoryOf(workspace);
  const changes = new LiveChanges(journal);
  const sinks = outputSinks(journal.directory, { scrub: (text) => vault.text(text) });
  const data = knownJournals === null ? null : dirname(knownJournals);
  const ledger = data === null ? null : capLedger(data, journal.marker!.id, onFailure);
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
        changes.touch(process);
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
      onFailure,
    });
    return new LiveWorkspace({
      workspace,
      journal,
      runtime,
      problems,
      changes,
      orphans,
      sinks,
      held: [watch, sinks, passing, ...(ledger === null ? [] : [ledger])],
      running: definitions.map((definition) => {
        const { name } = definition;
        return { file: basename(paths.get(name)!), text: texts.get(name)!, definition };
      }),
      scrub: vault,
      onManifests: () => onChange(''),
      onFailure,
    });
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
