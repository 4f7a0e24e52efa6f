// `holdfast run`: the console's host without a window. A table that keeps itself up to date on a terminal, a line for
// each change elsewhere.

import { resolve } from 'node:path';
import { userInfo } from 'node:os';
import type { ConsoleHost } from '../contract/console-host.ts';
import type { EventOf } from '../contract/events.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import { dataDirectory, knownJournalsIn } from '../host/data-directory.ts';
import { childProcessWorkerHost } from '../host/child-process-worker-host.ts';
import { createConsoleHost } from '../host/create-console-host.ts';
import { notesIn } from '../host/validate-manifests.ts';
import { faultText } from '../manifest/process-of.ts';
import { VERSION } from '../model/version.ts';
import { AppError } from '../model/errors.ts';
import { heartbeatGiven, type HeartbeatGiven } from './heartbeat-options.ts';
import { ago, fleetTable, stateText, whyText } from './describe.ts';
import { print, printError, printJson, terminalWidth } from './output.ts';
import { safeText } from './safe-text.ts';

const OWN_SCREEN = '\u001b[?1049h\u001b[?25l';
const SCREEN_BACK = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export interface RunGiven extends HeartbeatGiven {
  readonly json: boolean;
}

export async function runWorkspace(workspace: string, given: RunGiven): Promise<void> {
  const { json } = given;
  const heartbeat = heartbeatGiven(given);
  const host = await createConsoleHost({
    app: { version: VERSION, host: 'terminal', isStandIn: false, platform: process.platform },
    workspace: resolve(workspace),
    workerHost: childProcessWorkerHost(),
    knownJournals: knownJournalsIn(dataDirectory()),
    operator: userInfo().username,
    chooseJournal: async () => null,
    ...(heartbeat === null ? {} : { heartbeat }),
  });
  try {
    await refuseUnlessLive(host);
    tellNotes(workspace);
    if (json) tellJson(host);
    else if (!process.stdout.isTTY) tellLines(host);
    using _table = !json && process.stdout.isTTY ? keepTable(host) : null;
    await Promise.race([quitAsked(), hostGone(host)]);
  } finally {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    await host.close();
  }
}

/** What is worth knowing of its manifests, once, beside whatever reads the output. */
function tellNotes(workspace: string): void {
  for (const { file, notes } of notesIn(workspace))
    for (const note of notes) printError(`note · ${file}: ${faultText(note)}`);
}

/** A workspace that could not be run has left a notice; here there is nothing else to do than to say so. */
async function refuseUnlessLive(host: ConsoleHost): Promise<void> {
  const notices: EventOf<'console.notice'>[] = [];
  const stop = host.subscribe((event) => {
    if (event.name === 'console.notice') notices.push(event.payload);
  });
  await host.handle('fleet.read', {});
  await new Promise((resolve) => void setImmediate(resolve));
  stop();
  const isLive = host.fleet().journals.some((journal) => journal.access === 'live');
  const [first] = notices;
  if (!isLive)
    throw new AppError(
      first?.code ?? 'workspace.not-running',
      first?.message ?? 'The workspace can not be run.',
    );
  for (const notice of notices) printError(notice.message);
}

/**
 * Rejects when the workspace is run by another host, to which this one was attached, and that is gone. A person at a
 * terminal sees that and stays; a script that wants it run has to know.
 */
function hostGone(host: ConsoleHost): Promise<never> {
  return new Promise((_resolve, reject) => {
    host.subscribe((event) => {
      if (event.name !== 'console.notice' || event.payload.code !== 'host.gone') return;
      if (!process.stdout.isTTY) reject(new AppError(event.payload.code, event.payload.message));
    });
  });
}

function tellJson(host: ConsoleHost): void {
  printJson({ event: 'fleet', ...host.fleet() });
  host.subscribe((event) => printJson({ event: event.name, ...event.payload }));
}

function tellLines(host: ConsoleHost): void {
  const head = (row: ProcessRow): string => `${row.name} · ${stateText(row)} · ${whyText(row)}`;
  for (const row of host.fleet().processes) print(head(row));
  host.subscribe((event) => {
    // That the host is gone ends this program, which says it then.
    if (event.name === 'console.notice' && event.payload.code !== 'host.gone')
      printError(event.payload.message);
    if (event.name !== 'fleet.changed') return;
    for (const row of event.payload.upserts) {
      print(`${head(row)} · ${row.lastEntryType} ${ago(row.lastEntryAt ?? '', Date.now())}`);
    }
  });
}

/** A screen of its own, put back as it was at the end. Lines are overwritten, not wiped, so nothing flickers. */
function keepTable(host: ConsoleHost): Disposable {
  const draw = (): void => {
    const { journals, processes } = host.fleet();
    const columns = terminalWidth() ?? Infinity;
    // Some terminals say that they have no size at all.
    const rows = process.stdout.rows || 24;
    const lines = [
      `Holdfast ${VERSION} · ${journals.map((journal) => journal.directory).join(', ')} · q quits`,
      '',
      ...fleetTable(processes, Date.now(), columns),
    ];
    const shown =
      lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more`];
    const text = shown.map((line) => `${safeText(line).slice(0, columns)}${CLEAR_LINE}`).join('\r\n');
    process.stdout.write(`${HOME}${text}${CLEAR_BELOW}`);
  };
  process.stdout.write(OWN_SCREEN);
  draw();
  const unsubscribe = host.subscribe(draw);
  // Ages go on where nothing else changes.
  const timer = setInterval(draw, 1_000);
  return {
    [Symbol.dispose]: () => {
      unsubscribe();
      clearInterval(timer);
      process.stdout.write(SCREEN_BACK);
    },
  };
}

function quitAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    // A terminal that is gone takes no table any more; what runs is still put to rest.
    process.stdout.on('error', () => resolve());
    if (!process.stdin.isTTY) return;
    process.stdin.setRawMode(true);
    process.stdin.resume();
    process.stdin.on('data', (key) => {
      // Ctrl-C arrives as a character in this mode.
      if (['q', 'Q', '\u0003'].includes(key.toString())) {
        process.stdin.pause();
        resolve();
      }
    });
  });
}
