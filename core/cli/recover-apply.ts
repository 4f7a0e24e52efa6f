// `recover --apply`: rebuilds a process from its journal and takes over. By the host that runs it, or, where none does, by
// this program, which lets go again.

import { userInfo } from 'node:os';
import { SecretVault } from '../governance/secret-vault.ts';
import { dataDirectory, isSharedDiskAllowed, knownJournalsIn } from '../host/data-directory.ts';
import { runtimeOn } from '../host/runtime-on.ts';
import type { ReachedHost } from '../host/seek-host.ts';
import { openFileJournal, readFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessDefinition } from '../model/process-config.ts';
import type { Given } from './host-verb.ts';
import { reasonOf, type Outcome } from './host-verbs.ts';
import { ask, sayOutcome } from './operate.ts';
import { placeOf, runHint, seekPatiently, unreachable, type Place } from './reach.ts';

const FORCE_RECOVER = 'processes.force-recover';

interface Order {
  readonly process: string;
  readonly reason: string;
  readonly commandId: string;
}

export async function recoverApply(directory: string, process: string, given: Given): Promise<void> {
  const reason = reasonOf('recover --apply', FORCE_RECOVER, given);
  const place = placeOf(directory);
  const order: Order = { process, reason, commandId: crypto.randomUUID() };
  const sought = await seekPatiently(place);
  if (sought.kind === 'unreachable') throw unreachable(place, sought);
  const outcome =
    sought.kind === 'none' ? await takeOverAlone(place, order) : await forceRecover(sought.host, order);
  sayOutcome(process, outcome, given['json'] === true);
}

async function forceRecover(host: ReachedHost, order: Order): Promise<Outcome> {
  try {
    return (await ask(host, FORCE_RECOVER, { ...order })) as Outcome;
  } finally {
    host.connection.close(new AppError('host.closing', 'This command is done.'));
  }
}

/** @throws `process.not-found`, `journal.*` */
async function takeOverAlone(place: Place, order: Order): Promise<Outcome> {
  const definition = await definitionOf(place, order.process);
  const journal = openFileJournal(place.directory, {
    knownJournals: knownJournalsIn(dataDirectory()),
    allowSharedDisk: isSharedDiskAllowed(),
  });
  try {
    return await takenOver(place, order, definition, journal);
  } finally {
    await journal.close();
  }
}

/** An orphan has a journal and no definition any more [S37]; what it says can be made good all the same. */
async function definitionOf({ directory, workspace }: Place, name: string): Promise<ProcessDefinition> {
  const names = await readFileJournal(directory).processes();
  if (!names.includes(name)) {
    throw new AppError(
      'process.not-found',
      `${directory} has no process ${JSON.stringify(name)}. It has: ${names.join(', ') || 'none'}.`,
      { process: name },
    );
  }
  const known = workspace === null ? [] : loadWorkspace(workspace).definitions;
  const found = known.find((definition) => definition.name === name) ?? orphan(name);
  if (found.config.journalLevel !== 'none') return found;
  throw new AppError(
    'journal.required',
    `${name} keeps no journal, so there is nothing to rebuild it from. Set journal.level in its manifest, and the next run keeps one.`,
    { process: name },
  );
}

function orphan(name: string): ProcessDefinition {
  return {
    name,
    description: '',
    entrypoint: '',
    directory: '',
    config: DEFAULT_PROCESS_CONFIG,
    configHash: '',
    codeHash: '',
  };
}

async function takenOver(
  place: Place,
  { process: name, reason, commandId }: Order,
  definition: ProcessDefinition,
  journal: FileJournal,
): Promise<Outcome> {
  const operator = userInfo().username;
  const { durability, retention, secrets } = definition.config;
  const vault = new SecretVault();
  vault.knowSources(name, secrets.sources, { environment: process.env, store: null });
  await journal.claim(name, { durability, retention });
  // Who and why is there before anything is ended [P7].
  const put = (entry_type: string, data: JsonObject): Promise<unknown> =>
    journal.append({ process_id: name, entry_type, data: vault.json(data) }, { synced: true });
  await put('operator_action', { action: 'force-recover', command_id: commandId, operator, reason });
  const runtime = runtimeOn(journal, { definitions: [definition], vault });
  const agent = runtime.process(name);
  await agent.recover();
  const { trouble } = agent.live;
  if (trouble !== null) {
    const failed = { command_id: commandId, ok: false, message: messageOf(trouble), state: 'unknown' };
    await put('operator_outcome', failed).catch(() => {}); // What failed is what is told.
    throw trouble;
  }
  const { lifecycle, seq, context, invocationCount } = agent.snapshot;
  await agent.record('recovered', {
    from: lifecycle,
    lifecycle_state: lifecycle,
    entries_replayed: seq,
    context_keys: Object.keys(context).length,
    invocation_count: invocationCount,
    forced: true,
    actor: `operator:${operator}`,
    reason,
  });
  const message = `${name} was rebuilt from its journal and rests until it is run. ${runHint(place.workspace)}`;
  await agent.record('operator_outcome', { command_id: commandId, ok: true, message, state: lifecycle });
  // Puts to rest what moves, and leaves a checkpoint.
  await runtime.quit();
  return { state: agent.snapshot.lifecycle, message };
}
