// The verbs for manifests: check them, write a first one, and say what may stand in one. They run nothing.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { counted } from '../host/counted.ts';
import { validateManifests, type ManifestReport } from '../host/validate-manifests.ts';
import { manifestJsonSchema } from '../manifest/manifest-problems.ts';
import { MANIFEST_TEMPLATES, templateText, type ManifestTemplate } from '../manifest/manifest-templates.ts';
import { faultText } from '../manifest/process-of.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { lineToType } from './invocation.ts';
import { print, printJson } from './output.ts';
import { columns, safeText } from './safe-text.ts';

interface Json {
  readonly json: boolean;
}

interface InitGiven extends Json {
  readonly output?: string;
  readonly template?: ManifestTemplate;
  readonly force: boolean;
}

/** `verb`: makes one with `--json`. `asTyped`: a path as the person meant it. */
export function addManifestVerbs(
  verb: (usage: string, description: string) => Command,
  asTyped: (path: string) => string,
): void {
  verb(
    'validate [manifest]',
    'check a manifest, or all of a directory: what is wrong is told with its line; nothing is run',
  )
    .addOption(new Option('--schema', 'print the JSON schema of a manifest, for an editor').default(false))
    .action((path: string | undefined, options: Json & { schema: boolean }) =>
      options.schema ? printSchema() : validate(asTyped(path ?? '.'), options),
    );
  verb('init [name]', 'write a first manifest, with comments that say what is what')
    .addOption(new Option('-o, --output <file>', 'where to; <name>.agent unless given'))
    .addOption(
      new Option('-t, --template <template>', 'what it begins with')
        .choices([...MANIFEST_TEMPLATES])
        .default(undefined, 'basic'),
    )
    .addOption(new Option('--force', 'write over a file that is there').default(false))
    .action((name: string | undefined, options: InitGiven) => init(name ?? 'my-agent', options, asTyped));
}

/** Indented, for it is put beside the manifests. */
function printSchema(): void {
  for (const line of JSON.stringify(manifestJsonSchema(), null, 2).split('\n')) print(line);
}

/** @throws `manifest.invalid`, when everything is said */
function validate(path: string, { json }: Json): void {
  const reports = validateManifests(path);
  const bad = reports.filter(({ isValid }) => !isValid);
  if (json) printJson({ manifests: reports });
  else for (const line of reportLines(reports)) print(line);
  if (bad.length === 0) return;
  throw new AppError(
    'manifest.invalid',
    `${bad.length} of ${counted(reports.length, 'manifest')} can't be used.`,
    { files: bad.map(({ file }) => file) },
  );
}

export function reportLines(reports: readonly ManifestReport[]): string[] {
  const rows = reports.map(({ file, agent, problems }) =>
    agent === null
      ? [file, counted(problems.length, 'problem'), '', '', '', '']
      : [
          file,
          'valid',
          agent.name,
          agent.kind === 'code' ? 'code' : agent.models.join(', '),
          agent.triggers.join(', ') || 'none',
          agent.servers.join(', ') || 'none',
        ],
  );
  const table = columns(
    [['FILE', 'CHECK', 'NAME', 'WORKS BY', 'TRIGGERS', 'SERVERS'], ...rows].map((row) => row.map(safeText)),
  );
  return [...table, ...reports.flatMap(detailLines)];
}

function detailLines({ file, problems, notes }: ManifestReport): readonly string[] {
  if (problems.length + notes.length === 0) return [];
  return [
    '',
    file,
    ...problems.map((problem) => `  problem · ${faultText(problem)}`),
    ...notes.map((note) => `  note · ${faultText(note)}`),
  ];
}

function init(
  name: string,
  { output, template: chosen, force, json }: InitGiven,
  asTyped: (path: string) => string,
): void {
  const template = chosen ?? 'basic';
  if (chosen === undefined && (MANIFEST_TEMPLATES as readonly string[]).includes(name)) {
    throw new InvalidArgumentError(
      `"${name}" is the name of a template, and an agent needs one of its own: "holdfast init my-agent --template ${name}". One that is called so all the same: add --template`,
    );
  }
  const file = asTyped(output ?? `${name}.agent`);
  if (name.trim() === '' || (output === undefined && /[/\\\0]/.test(name))) {
    throw new InvalidArgumentError('A name that is no file name needs --output <file>');
  }
  if (existsSync(file) && !force) {
    throw new AppError('manifest.exists', `${file} is there already. --force writes over it.`, { file });
  }
  try {
    // A workspace begins with its first manifest.
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, templateText(template, name), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new AppError(
      'manifest.not-written',
      `${file} can't be written: ${messageOf(error)}. Choose another place with --output.`,
      { file, code: codeOf(error) },
      { cause: error },
    );
  }
  if (json) printJson({ file, template, name });
  else {
    const line = (...words: readonly string[]): string => lineToType(words, process.env, process.platform);
    print(`${file} is written, from the template ${template}.`);
    print(`To check it: ${line('validate', file)}`);
    print(`To run it: ${line('run', dirname(file))}`);
  }
}
