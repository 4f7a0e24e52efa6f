// Checks a journal directory, ours or Promptise's, byte by byte, and says what is wrong with it and where. Changes nothing,
// takes no lock [P6], and can be run while somebody writes there [S9]. Memory is bounded by the longest line and some
// thirty bytes for each entry; others on this thread get their turn.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError, codeOf } from '../model/errors.ts';
import { readFileJournal } from './file-journal.ts';
import { headPath, readHead } from './head-file.ts';
import { STATE_DIRECTORY } from './layout.ts';
import { nameToRead } from './process-files.ts';
import { unreadable } from './unreadable.ts';
import { checkProcess, type Checked, type CheckTarget, type ProcessReport } from './verify-process.ts';

export type { ProcessReport } from './verify-process.ts';
export type { Place } from './verify-findings.ts';

export interface VerifyReport {
  readonly directory: string;
  readonly format: 'holdfast' | 'promptise';
  /** Of our marker; null for a journal that is not ours. */
  readonly journalId: string | null;
  /** It has what a host of ours keeps beside a journal, and no marker: it was ours, and is read as if it were not. */
  readonly hasLostMarker: boolean;
  /** Nothing is damaged. */
  readonly isWhole: boolean;
  readonly totals: {
    readonly processes: number;
    readonly segments: number;
    readonly lines: number;
    readonly verified: number;
    readonly unverified: number;
    readonly damage: number;
    readonly notes: number;
  };
  readonly processes: readonly ProcessReport[];
}

export interface VerifyOptions {
  /** Only this one. */
  readonly process?: string;
}

/**
 * @throws `process.not-found` where the one asked for is not there, `journal.not-found`, `journal.unreadable`,
 *   `journal.bad-marker`
 */
export async function verifyJournal(
  directory: string,
  { process }: VerifyOptions = {},
): Promise<VerifyReport> {
  const path = resolve(directory);
  const reports: ProcessReport[] = [];
  const { targets, format, journalId } = await targetsIn(path, process);
  for (const target of targets) {
    reports.push((await checkTarget(target)).report);
  }
  const sum = (of: (report: ProcessReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const totals = {
    processes: reports.length,
    segments: sum(({ segments }) => segments),
    lines: sum(({ lines }) => lines),
    verified: sum(({ verified }) => verified),
    unverified: sum(({ unverified }) => unverified),
    damage: sum(({ damageCount }) => damageCount),
    notes: sum(({ noteCount }) => noteCount),
  };
  return {
    directory: path,
    format,
    journalId,
    hasLostMarker: format === 'promptise' && existsSync(join(path, STATE_DIRECTORY)),
    isWhole: totals.damage === 0,
    totals,
    processes: reports,
  };
}

/** @throws `journal.unreadable` with the path, RetryableError `journal.changed` */
export async function checkTarget(target: CheckTarget): Promise<Checked> {
  try {
    return await checkProcess(target);
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(pathIn(error) ?? target.directory, error);
  }
}

/** The path that the system names in an error of its own. */
function pathIn(error: unknown): string | null {
  const path = error instanceof Error && 'path' in error ? error.path : null;
  return typeof path === 'string' ? path : null;
}

interface Targets {
  readonly targets: readonly CheckTarget[];
  readonly format: VerifyReport['format'];
  readonly journalId: string | null;
}

/** What there is to check. */
export async function targetsIn(directory: string, process?: string): Promise<Targets> {
  const journal = readFileJournal(directory);
  const isOurs = journal.marker !== null;
  let names: readonly string[];
  try {
    names = await journal.processes();
  } catch (error) {
    throw codeOf(error).startsWith('journal.') ? error : unreadable(directory, error);
  }
  const all: CheckTarget[] = names.map((each) => ({
    directory,
    process: each,
    name: nameToRead(each),
    isOurs,
  }));
  // Of a journal that is gone there may still be a head; what else it was called nobody knows.
  const known = new Set(all.map(({ name }) => name));
  for (const name of isOurs ? headNames(directory) : [])
    if (!known.has(name)) all.push({ directory, process: name, name, isOurs });
  const targets = all.filter((target) => process === undefined || target.process === process);
  if (process !== undefined && targets.length === 0) {
    throw new AppError(
      'process.not-found',
      `${directory} has no process ${JSON.stringify(process)}. It has: ${names.join(', ') || 'none'}.`,
      { process },
    );
  }
  return {
    targets,
    format: isOurs ? 'holdfast' : 'promptise',
    journalId: journal.marker?.id ?? null,
  };
}

/** The file names, without suffix, of the journals that have a head that says anything. */
function headNames(directory: string): readonly string[] {
  const folder = dirname(headPath(directory, ''));
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(HEAD_SUFFIX))
    .map((file) => file.slice(0, -HEAD_SUFFIX.length))
    .filter((name) => (readHead(headPath(directory, name))?.seq ?? 0) > 0)
    .sort();
}
const HEAD_SUFFIX = '.head';
