// The verbs that only look: they take no lock and change no byte [P6].

import { isWorkspace } from '../manifest/load-workspace.ts';
import type { JournalView } from '../contract/fleet-views.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import { counted } from '../host/counted.ts';
import type { ReachedHost } from '../host/seek-host.ts';
import type { JournalSource } from '../host/journal-source.ts';
import { lookAtJournal } from '../host/looked-at-journal.ts';
import { isAlive } from '../host/os-process.ts';
import { readFileJournal, type FileJournal } from '../journal/file-journal.ts';
import { inspectDirectory, type InspectedDirectory } from '../journal/inspect-directory.ts';
import { readHolder } from '../journal/lock.ts';
import { AppError } from '../model/errors.ts';
import { isBad, type BadLine, type StoredEntry } from '../model/entry.ts';
import type { Cursor } from '../model/ports.ts';
import { showJson } from '../model/json.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import { followJournal } from '../tail/follow-journal.ts';
import { budgetLines } from './budget-verbs.ts';
import { missionLines } from './mission-verbs.ts';
import { healthLines } from './health-verbs.ts';
import { selfLines } from './self-verbs.ts';
import { settingLines } from './settings-verbs.ts';
import { ago, entryLine, fleetTable, stateText, whyText } from './describe.ts';
import { interrupted } from './interrupted.ts';
import { print, printError, printJson, terminalWidth } from './output.ts';
import { explained, runHint, seek, typed } from './reach.ts';
import { waitLine } from './waiting-lines.ts';

const SHOWN_ENTRIES = 10;
/** Of one answer of a host. */
const ANSWERS_WITHIN_MS = 10_000;

interface Fleet {
  readonly journal: JournalView;
  readonly rows: readonly ProcessRow[];
}

export async function status(directory: string, { json }: { readonly json: boolean }): Promise<void> {
  const { journal, rows } = (await liveFleet(directory)) ?? (await recordedFleet(directory));
  if (json) {
    printJson({ journal, processes: rows });
    return;
  }
  print(
    `${journal.directory} · ${journal.format} · ${journal.sizeBytes ?? 'unknown'} bytes · ${journal.note}`,
  );
  for (const line of fleetTable(rows, Date.now(), terminalWidth())) print(line);
  if (isWorkspace(directory) && !isBeingWritten(journal.directory)) print(runHint(directory));
}

/** As the host that runs it says; null where none does, or none can be asked. */
function liveFleet(directory: string): Promise<Fleet | null> {
  return whileReached(directory, async ({ journal, rows }) => ({ journal, rows }));
}

async function whileReached<T>(directory: string, ask: (host: ReachedHost) => Promise<T>): Promise<T | null> {
  const { marker, directory: journal } = inspected(directory);
  if (marker === null) return null;
  const sought = await seek({ directory: journal, journalId: marker.id });
  if (sought.kind !== 'reached') return null;
  const { host } = sought;
  try {
    return await ask(host);
  } finally {
    host.connection.close(new AppError('host.closing', 'This command is done.'));
  }
}

async function recordedFleet(directory: string): Promise<Fleet> {
  const source = await look(directory);
  try {
    return { journal: source.view(), rows: source.rows() };
  } finally {
    await source.close();
  }
}

export async function show(
  directory: string,
  process: string | undefined,
  options: { readonly json: boolean },
): Promise<void> {
  if (process === undefined) return status(directory, options);
  const source = await look(directory);
  try {
    const detail = source.detail(process);
    const { counts } = detail;
    const { rows } = await source.timeline(process, SHOWN_ENTRIES, null);
    const { row, detectors, mission, settings } = (await liveDetail(directory, process)) ?? detail;
    if (options.json) {
      const told = { row: { ...detail.row, budget: row.budget }, detectors, mission, settings };
      printJson({ ...detail, ...told, timeline: rows });
      return;
    }
    printHead(detail.row);
    for (const line of budgetLines(row, detail.spending, Date.now())) print(line);
    for (const line of mission === null ? [] : missionLines(mission)) print(line);
    for (const line of healthLines(detectors)) print(line);
    for (const line of settingLines(settings)) print(line);
    for (const line of selfLines(detail.self)) print(line);
    for (const hold of detail.holds)
      print(`held: ${hold.kind} by ${hold.actor} since ${hold.since} · ${hold.reason}`);
    for (const open of detail.open) {
      print(
        `unfinished: invocation ${open.invocation} of ${open.triggerId} since ${open.startedAt}, ${counted(open.effectCount, 'effect')}`,
      );
    }
    printCut(detail.open.length, counts.open, 'unfinished invocations');
    for (const { waits } of detail.open) {
      for (const wait of waits) if (wait.status === 'open') print(waitLine(directory, wait));
    }
    if (counts.deadLetters > 0) {
      const newest = detail.deadLetters.at(-1);
      print(
        `dead letters: ${counts.deadLetters}${newest === undefined ? '' : `, the newest: ${newest.error || newest.reason}`} · all of them: ${typed('deadletters', directory, process)}`,
      );
    }
    print(`context (${counted(counts.context, 'key')}):`);
    for (const { key, text, cut } of detail.context) print(`  ${key} = ${text}${cut ? ' … (cut)' : ''}`);
    printCut(detail.context.length, counts.context, 'keys');
    print(`last ${rows.length} lines:`);
    for (const row of rows.toReversed()) print(`  ${row.seq}  ${row.at}  ${row.type}  ${row.summary}`);
  } finally {
    await source.close();
  }
}

/** Limits, detectors and what a mission asks for are the manifest's, so only the host that runs the process can tell them; null where none does. */
async function liveDetail(directory: string, process: string): Promise<ProcessDetail | null> {
  return whileReached(directory, async ({ connection, journal }) => {
    const answer = await connection.request(
      'processes.read',
      { journalId: journal.id, process },
      ANSWERS_WITHIN_MS,
    );
    return answer.ok ? answer.value : null;
  });
}

function printCut(shown: number, of: number, what: string): void {
  if (shown < of) print(`  (${shown} of ${of} ${what} shown)`);
}

function printHead(row: ProcessRow): void {
  const last =
    row.lastEntryAt === null ? 'nothing recorded' : `last entry ${ago(row.lastEntryAt, Date.now())} ago`;
  print(`${row.name} · ${stateText(row)} · ${row.entries} entries · ${last}`);
  if (row.why !== '') print(whyText(row));
  if (row.description !== '') print(row.description);
}

/** Prints what recovery would give, and takes nothing over. */
export async function recover(
  directory: string,
  process: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const { journal } = await open(directory, process);
  const result = await new ReplayEngine(journal).recover(process);
  const { snapshot, damage, readTo: _, ...four } = result;
  if (json) {
    printJson({
      ...four,
      process_id: process,
      skipped_lines: damage,
      process: snapshot,
    });
    return;
  }
  print(`lifecycle state   ${result.lifecycle_state}`);
  print(`context state     ${showJson(result.context_state)}`);
  print(`entries replayed  ${result.entries_replayed}`);
  print(`last entry type   ${result.last_entry_type || 'none after the last checkpoint'}`);
  if (snapshot.open.length > 0) print(`unfinished        ${snapshot.open.length} invocations`);
  for (const line of damage) print(`skipped line ${line.seq} at byte ${line.offset}: ${line.reason}`);
}

export async function tail(
  directory: string,
  process: string,
  { json, lines, follow }: { readonly json: boolean; readonly lines: number; readonly follow: boolean },
): Promise<void> {
  const { journal } = await open(directory, process);
  // Before anything is shown: whatever happens to the journal from then on is noticed.
  const place = follow ? await endOf(journal, process) : null;
  const items = await newest(journal, process, lines);
  for (const item of items) printItem(item, json);
  if (!follow) return;
  let shown = items.at(-1)?.seq ?? 0;
  using following = followJournal(journal, process, place, {
    onItems: (more) => {
      for (const item of more) if (item.seq > shown) printItem(item, json);
    },
    onReplaced: () => {
      shown = 0;
      printError(`the journal of ${process} was cut or replaced; going on from its beginning`);
    },
  });
  await Promise.race([interrupted(), following.failed]);
}

async function endOf(journal: FileJournal, process: string): Promise<Cursor | null> {
  let place: Cursor | null = null;
  for await (const { next } of journal.readSinceCheckpoint(process)) place = next;
  return place;
}

/** The newest lines that say anything, oldest first: a page may hold fewer than asked for. */
async function newest(
  journal: FileJournal,
  process: string,
  count: number,
): Promise<readonly (StoredEntry | BadLine)[]> {
  const pages: (readonly (StoredEntry | BadLine)[])[] = [];
  let missing = count;
  for (let cursor: Cursor | null | undefined; missing > 0 && cursor !== null;) {
    const page = await journal.readLast(process, missing, cursor);
    pages.unshift([...page.entries, ...page.badLines].sort((a, b) => a.seq - b.seq || a.offset - b.offset));
    missing -= page.entries.length + page.badLines.length;
    cursor = page.before;
  }
  return pages.flat();
}

function printItem(item: StoredEntry | BadLine, json: boolean): void {
  if (json) printJson(item);
  else if (isBad(item))
    print(`${item.seq} !  unreadable line of ${item.sizeBytes} bytes at ${item.offset}: ${item.reason}`);
  else print(entryLine(item));
}

async function look(directory: string): Promise<JournalSource> {
  try {
    return await lookAtJournal(directory, () => {});
  } catch (error) {
    throw explained(directory, error);
  }
}

function isBeingWritten(journal: string): boolean {
  const holder = readHolder(journal);
  return holder !== null && isAlive(holder);
}

/** @throws `process.not-found`, naming the processes that there are; what {@link inspectDirectory} throws */
export async function open(directory: string, process: string): Promise<{ journal: FileJournal }> {
  const journal = readFileJournal(inspected(directory).directory);
  const names = await journal.processes();
  if (!names.includes(process)) {
    throw new AppError(
      'process.not-found',
      `${journal.directory} has no process ${JSON.stringify(process)}. It has: ${names.join(', ') || 'none'}.`,
      { process },
    );
  }
  return { journal };
}

function inspected(directory: string): InspectedDirectory {
  try {
    return inspectDirectory(directory);
  } catch (error) {
    throw explained(directory, error);
  }
}
