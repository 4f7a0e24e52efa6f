// The `holdfast` command.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../model/version.ts';
import { messageOf } from '../model/errors.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { pathAsTyped } from './invocation.ts';
import { askAgent, type AskGiven } from './ask-agent.ts';
import type { Given } from './host-verb.ts';
import { costs } from './costs.ts';
import { HOST_VERBS, reasonIn, reasonOption } from './host-verbs.ts';
import { recover, show, status, tail } from './look.ts';
import { logs } from './logs.ts';
import { adopt, repair, verify } from './mend.ts';
import { memory, MEMORY_DESCRIPTION, MEMORY_USAGE, memoryOptions } from './memory-verb.ts';
import { operate } from './operate.ts';
import { printError } from './output.ts';
import { recoverApply } from './recover-apply.ts';
import { DEFAULT_LAST, replayCheck, type ReplayCheckGiven } from './replay-check.ts';
import { addManifestVerbs } from './manifest-verbs.ts';
import { groupOf } from './verb-groups.ts';
import { heartbeatOptions } from './heartbeat-options.ts';
import { runWorkspace, type RunGiven } from './run-workspace.ts';

const DEFAULT_TAIL = 20;
/** Promptise's. */
const DEFAULT_ASK = 120;

interface Json {
  readonly json: boolean;
}

interface Copy extends Json {
  readonly to: string;
}

function copyOption(): Option {
  return new Option('--to <copy>', 'a directory that does not exist yet')
    .argParser((text: string) => {
      if (text.trim() !== '') return text;
      throw new InvalidArgumentError('It must name a directory.');
    })
    .makeOptionMandatory();
}

function asTyped(path: string): string {
  return pathAsTyped(path, process.env, process.cwd());
}

function program(): Command {
  const holdfast = new Command('holdfast')
    .description(
      'Durable AI agents: run a workspace, operate what runs, and look at any journal that Holdfast or Promptise wrote.',
    )
    .version(VERSION)
    .addHelpText('after', EXIT_HELP)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const verb = (usage: string, description: string): Command =>
    holdfast
      .command(usage)
      .helpGroup(groupOf(nameIn(usage)))
      .description(description)
      .addOption(new Option('--json', 'one JSON value, or one for each line').default(false))
      .exitOverride()
      .configureOutput({ writeErr: () => {} });

  const run = verb('run <workspace>', 'recover every agent of a workspace and run them until told to quit');
  for (const option of heartbeatOptions()) run.addOption(option);
  run.action((workspace: string, options: RunGiven) => runWorkspace(asTyped(workspace), options));
  addManifestVerbs(verb, asTyped);
  verb(
    'status [directory]',
    'the processes of a workspace or journal, one line each: as they are, or as last recorded',
  ).action((directory: string | undefined, options: Json) => status(asTyped(directory ?? '.'), options));
  verb(
    'show <directory> [process]',
    'a journal, or one process in it: state, holds, context, last entries',
  ).action((directory: string, process: string | undefined, options: Json) =>
    show(asTyped(directory), process, options),
  );
  verb('tail <directory> <process>', 'the newest entries of a process')
    .addOption(new Option('-n, --lines <count>', 'how many').argParser(count).default(DEFAULT_TAIL))
    .addOption(new Option('-f, --follow', 'go on as entries arrive').default(false))
    .action((directory: string, process: string, options: Json & { lines: number; follow: boolean }) =>
      tail(asTyped(directory), process, options),
    );
  verb(
    'costs <directory> <process>',
    'what it spent when and for what, by its journal; each day of the budget in sum',
  )
    .addOption(
      new Option('--csv', 'comma-separated values for a spreadsheet').default(false).conflicts('json'),
    )
    .action((directory: string, process: string, options: Json & { csv: boolean }) =>
      costs(asTyped(directory), process, options),
    );
  verb('logs <directory> <process>', 'what its workers wrote, and what its agent said through its log')
    .addOption(new Option('-n, --lines <count>', 'how many').argParser(count).default(DEFAULT_TAIL))
    .addOption(new Option('-f, --follow', 'go on as more is written').default(false))
    .action((directory: string, process: string, options: Json & { lines: number; follow: boolean }) =>
      logs(asTyped(directory), process, options),
    );
  verb(
    'recover <directory> <process>',
    'print what recovery would give, which takes no lock and writes nothing; or, with --apply, do it',
  )
    .addOption(new Option('--apply', 'rebuild the process from its journal and take over'))
    .addOption(reasonOption())
    .action((directory: string, process: string, options: Json & Given) => {
      if (options['apply'] === true) return recoverApply(asTyped(directory), process, options);
      if (options['reason'] !== undefined)
        throw new InvalidArgumentError('"recover" takes --reason only with --apply');
      return recover(asTyped(directory), process, options);
    });
  verb('ask <directory> <process> <text>', 'ask an agent something, and wait for its answer')
    .addOption(new Option('--timeout <seconds>', 'how long to wait').argParser(count).default(DEFAULT_ASK))
    .addOption(new Option('--now', 'trigger it, so that it answers at once').default(false))
    .action((directory: string, process: string, text: string, options: AskGiven) =>
      askAgent(asTyped(directory), process, text, options),
    );
  for (const row of HOST_VERBS) {
    const command = verb(row.usage, row.description);
    for (const option of row.options ?? []) command.addOption(option);
    if (reasonIn(row.asks) !== 'none') command.addOption(reasonOption());
    command.action(async (...typed: unknown[]) => {
      // The last of them may be a list.
      const [directory, ...words] = typed.slice(0, -2).flat() as [string, ...string[]];
      const given = typed.at(-2) as Given;
      await operate(row, { directory: asTyped(directory), words, given });
    });
  }
  const remembered = verb(MEMORY_USAGE, MEMORY_DESCRIPTION);
  for (const option of memoryOptions()) remembered.addOption(option);
  remembered.action(
    async (directory: string, process: string, action: string, words: string[], options: Given) =>
      memory(asTyped(directory), [process, action, ...words], options),
  );
  verb(
    'replay-check <agent> <directory>',
    'run the newest invocations again against their records, without performing anything; <agent> is a process or a module',
  )
    .addOption(
      new Option('--last <count>', 'how many that have ended').argParser(count).default(DEFAULT_LAST),
    )
    .addOption(new Option('--process <name>', 'whose journal, where a module is given'))
    .action((agent: string, directory: string, options: ReplayCheckGiven) =>
      replayCheck(agent, asTyped(agent), asTyped(directory), options),
    );
  verb(
    'verify <directory> [process]',
    'check every byte of a journal, and say what is damaged where; takes no lock and writes nothing',
  ).action((directory: string, process: string | undefined, options: Json) =>
    verify(asTyped(directory), process, options),
  );
  verb(
    'repair <directory>',
    'make a copy of a damaged journal with all that is good in it; the journal stays as it is',
  )
    .addOption(copyOption())
    .action((directory: string, options: Copy) => repair(asTyped(directory), asTyped(options.to), options));
  verb('adopt <directory>', "make a journal of Holdfast's from one of Promptise's, which stays as it is")
    .addOption(copyOption())
    .action((directory: string, options: Copy) => adopt(asTyped(directory), asTyped(options.to), options));
  return holdfast;
}

const EXIT_HELP = `
Exit codes: ${EXIT.ok} done · ${EXIT.failed} failed · ${EXIT.usage} wrong usage · ${EXIT.notFound} nothing of that name, or no journal ·
            ${EXIT.damaged} journal damaged · ${EXIT.locked} journal held by another process · ${EXIT.notRun} nobody runs it`;

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_000_000) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000000.');
}

function nameIn(usage: string): string {
  return usage.split(' ', 1)[0]!;
}

/** Where somebody finds out who has mistyped. */
function helpFor(args: readonly string[]): string {
  const verb = args.find((arg) => !arg.startsWith('-'));
  return verb !== undefined && program().commands.some((command) => command.name() === verb)
    ? `"holdfast ${verb} --help" says how it is used.`
    : '"holdfast --help" lists the verbs.';
}

/** Runs the command line; the result is the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      const text = error.message.replace(/^error: /, '').replace(/\.$/, '');
      printError(`${text === '(outputHelp)' ? 'Say what to do' : text}. ${helpFor(args)}`);
      return EXIT.usage;
    }
    printError(messageOf(error));
    return exitCodeOf(error);
  }
}
