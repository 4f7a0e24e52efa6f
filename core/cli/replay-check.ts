// The verb that runs ended invocations again, against their record: whether a change of the code would break what is under
// way, and whether an agent is as repeatable as it has to be. It takes no lock and changes no byte of the journal [P6].

import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { childProcessWorkerHost } from '../host/child-process-worker-host.ts';
import { counted } from '../host/counted.ts';
import { checkReplay, type CheckedInvocation, type ReplayCheckReport } from '../host/replay-check.ts';
import { readFileJournal } from '../journal/file-journal.ts';
import { loadWorkspace } from '../manifest/load-workspace.ts';
import { AppError } from '../model/errors.ts';
import {
  DEFAULT_PROCESS_CONFIG,
  type ProcessConfig,
  type ProcessDefinition,
} from '../model/process-config.ts';
import { print, printJson } from './output.ts';
import { placeOf, typed } from './reach.ts';

/** How many ended invocations are checked unless it is said. */
export const DEFAULT_LAST = 200;

export interface ReplayCheckGiven {
  readonly json: boolean;
  readonly last: number;
  /** Whose journal, where a module is given and nothing else tells. */
  readonly process?: string;
}

interface Subject {
  readonly process: string;
  readonly entrypoint: string;
  readonly config: ProcessConfig;
}

/**
 * `agent`: a process of the workspace, which is checked with the module that its manifest names; or the path of a module.
 * @throws `replay-check.diverged` when everything is said, `replay-check.no-module`, `process.not-found`, and what opening
 * the journal or loading the module throws
 */
export async function replayCheck(
  agent: string,
  modulePath: string,
  directory: string,
  { json, last, process }: ReplayCheckGiven,
): Promise<void> {
  const place = placeOf(directory);
  const journal = readFileJournal(place.directory);
  const names = await journal.processes();
  const definitions = place.workspace === null ? [] : loadWorkspace(place.workspace).definitions;
  const subject = names.includes(agent)
    ? processNamed(agent, definitions)
    : moduleAt(modulePath, { agent, names, definitions, process: process ?? null });
  if (!names.includes(subject.process)) throw noProcess(subject.process, place.directory, names);
  const report = await checkReplay({
    ...subject,
    journal,
    last,
    workerHost: childProcessWorkerHost(),
    onChecked: (checked) => {
      if (!json) print(lineOf(checked));
    },
  });
  if (json) printJson(report);
  else for (const line of summaryOf(report)) print(line);
  const { diverged, 'other-end': otherEnd } = report.counts;
  if (diverged + otherEnd > 0) throw differs(report);
}

function processNamed(name: string, definitions: readonly ProcessDefinition[]): Subject {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (definition !== undefined) return { process: name, ...definition };
  throw new AppError(
    'replay-check.no-module',
    `No manifest beside the journal tells which module ${name} runs. Give the module: ${typed('replay-check')} <module> <directory> --process ${name}`,
    { process: name },
  );
}

/** Whose journal a module is checked with: said, told by a manifest, of its name, or the only one. */
function moduleAt(
  path: string,
  {
    agent,
    names,
    definitions,
    process,
  }: {
    readonly agent: string;
    readonly names: readonly string[];
    readonly definitions: readonly ProcessDefinition[];
    readonly process: string | null;
  },
): Subject {
  const entrypoint = resolve(path);
  if (!existsSync(entrypoint)) {
    throw new AppError(
      'process.not-found',
      `${agent} is neither a process of that journal nor the path of a module. Its processes: ${names.join(', ') || 'none'}.`,
      { agent },
    );
  }
  const bare = basename(entrypoint, extname(entrypoint));
  const named =
    process ??
    definitions.find((definition) => definition.entrypoint === entrypoint)?.name ??
    names.find((name) => name === bare) ??
    (names.length === 1 ? names[0]! : null);
  if (named === null) {
    throw new AppError(
      'process.not-found',
      `Nothing tells whose module ${entrypoint} is. Say it: --process, with one of ${names.join(', ')}.`,
      { entrypoint },
    );
  }
  const config = definitions.find(({ name }) => name === named)?.config ?? DEFAULT_PROCESS_CONFIG;
  return { process: named, entrypoint, config };
}

function noProcess(process: string, directory: string, names: readonly string[]): AppError {
  return new AppError(
    'process.not-found',
    `${directory} has no process ${JSON.stringify(process)}. It has: ${names.join(', ') || 'none'}.`,
    { process },
  );
}

const WORDS: Readonly<Record<CheckedInvocation['verdict'], string>> = {
  ok: 'ok',
  diverged: 'DIVERGED',
  'other-end': 'OTHER END',
  unchecked: 'unchecked',
};

function lineOf(checked: CheckedInvocation): string {
  const { seq, eventId, invocation, attempt, recorded, verdict } = checked;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  const line = `${seq}  ${WORDS[verdict]}  invocation ${invocation}${again}, recorded ${recorded}, event ${eventId}`;
  switch (checked.verdict) {
    case 'ok':
      return line;
    case 'unchecked':
      return `${line}: ${checked.why}`;
    case 'diverged':
    case 'other-end':
      return `${line}: expected ${checked.expected}; found ${checked.found}`;
  }
}

function summaryOf({
  process,
  entrypoint,
  journal,
  ended,
  counts,
  badLines,
  checked,
}: ReplayCheckReport): string[] {
  return [
    `${process} with ${entrypoint}: ${checked.length} checked, the newest of ${ended} that have ended and those under way`,
    `${counts.ok} ok · ${counts.diverged} diverged · ${counts['other-end']} with another end · ${counts.unchecked} unchecked`,
    ...(badLines > 0
      ? [
          `${counted(badLines, 'damaged line is', 'damaged lines are')} missing from what was compared. To see where: ${typed('verify', journal)}`,
        ]
      : []),
  ];
}

function differs({ process, entrypoint, counts, checked }: ReplayCheckReport): AppError {
  const { diverged, 'other-end': otherEnd } = counts;
  return new AppError(
    'replay-check.diverged',
    `${entrypoint} does not do what the journal of ${process} says in ${diverged + otherEnd} of ${checked.length} invocations. Mark the change with ctx.version, or let what is under way end with the code that began it.`,
    { process, diverged, other_end: otherEnd },
  );
}
