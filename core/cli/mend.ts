// The verbs that check a journal and make good copies of it. None changes a byte of the journal that it is given.

import { adoptJournal } from '../journal/adopt-journal.ts';
import type { Recover } from '../journal/copy-target.ts';
import { counted } from '../host/counted.ts';
import { isSharedDiskAllowed } from '../host/data-directory.ts';
import { inspectDirectory } from '../journal/inspect-directory.ts';
import { repairJournal } from '../journal/repair-journal.ts';
import { verifyJournal, type VerifyReport } from '../journal/verify-journal.ts';
import { AppError } from '../model/errors.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import { lineToType } from './invocation.ts';
import { adoptLines, repairLines, verifyLines } from './mend-text.ts';
import { print, printJson } from './output.ts';

interface Json {
  readonly json: boolean;
}

/** @throws `verify.damaged`, when everything is said */
export async function verify(directory: string, process: string | undefined, { json }: Json): Promise<void> {
  const found = inspectDirectory(directory);
  const report = await verifyJournal(found.directory, process === undefined ? {} : { process });
  say(report, json, verifyLines(report));
  if (!report.isWhole) throw damaged(report);
}

function damaged({ directory, format, totals }: VerifyReport): AppError {
  const [verb, what] = format === 'holdfast' ? ['repair', 'Repair it'] : ['adopt', 'Adopt what can be read'];
  const line = lineToType([verb, directory], process.env, process.platform);
  return new AppError(
    'verify.damaged',
    `${directory} is damaged in ${counted(totals.damage, 'place')}. ${what} into a copy, which leaves it as it is: ${line} --to <copy>`,
    { directory, damage: totals.damage },
  );
}

export async function repair(directory: string, to: string, { json }: Json): Promise<void> {
  const found = inspectDirectory(directory);
  const report = await repairJournal(found.directory, to, {
    recover,
    allowSharedDisk: isSharedDiskAllowed(),
  });
  say(report, json, repairLines(report));
}

export async function adopt(directory: string, to: string, { json }: Json): Promise<void> {
  const report = await adoptJournal(directory, to, { recover, allowSharedDisk: isSharedDiskAllowed() });
  say(report, json, adoptLines(report));
}

const recover: Recover = async (journal, processId, options) =>
  (await new ReplayEngine(journal).recover(processId, options)).snapshot;

function say(report: object, json: boolean, lines: readonly string[]): void {
  if (json) printJson(report);
  else for (const line of lines) print(line);
}
