// What workers wrote, and what agents said through their log: read from the journal's folder, whoever runs it [P6].

import { followWorkerOutput, readWorkerOutput } from '../host/read-worker-output.ts';
import type { OutputLine } from '../host/output-files.ts';
import { readFileJournal } from '../journal/file-journal.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { interrupted } from './interrupted.ts';
import { print, printError, printJson } from './output.ts';
import { placeOf } from './reach.ts';

export interface LogsGiven {
  readonly json: boolean;
  readonly lines: number;
  readonly follow: boolean;
}

/** @throws `process.not-found` for a process without a journal and without output */
export async function logs(
  directory: string,
  process: string,
  { json, lines, follow }: LogsGiven,
): Promise<void> {
  const place = placeOf(directory);
  const page = readWorkerOutput(place.directory, process, { limit: lines, before: null });
  const names = await readFileJournal(place.directory).processes();
  if (page.lines.length === 0 && !names.includes(process)) {
    throw new AppError(
      'process.not-found',
      `${place.directory} has no process ${JSON.stringify(process)}. It has: ${names.join(', ') || 'none'}.`,
      { process },
    );
  }
  for (const line of page.lines) say(line, json);
  if (page.lines.length === 0 && !follow && !json) print(`${process} has written nothing that is kept.`);
  if (!follow) return;
  using _following = followWorkerOutput(place.directory, process, page.next, {
    onLines: (more) => {
      for (const line of more) say(line, json);
    },
    onGap: () => printError('some lines were removed before they could be shown'),
    onTrouble: (error) => printError(messageOf(error)),
  });
  await interrupted();
}

function say(line: OutputLine, isJson: boolean): void {
  if (isJson) printJson(line);
  else print(`${line.at}  ${line.generation}  ${line.level ?? line.stream}  ${line.text}`);
}
