/**
 * The real Promptise, kept in a virtual environment of its own, for the tests
 * that compare this project's journals with it.
 *
 * `node test/interop/promptise.ts install` sets it up once. Tests ask
 * `promptisePython()` and skip themselves when it answers null.
 */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const version = '1.10.1';
const root = resolve(import.meta.dirname, '..', '..');
const environment = join(root, 'node_modules', '.cache', 'holdfast', `promptise-${version}`);
const python =
  process.platform === 'win32'
    ? join(environment, 'Scripts', 'python.exe')
    : join(environment, 'bin', 'python');

/** Written last, so that its absence means the install did not finish. */
const completionMark = join(environment, 'installed');

/** Python versions that Promptise 1.10.1 is published for, the usual name first. */
const interpreters =
  process.platform === 'win32'
    ? ['python']
    : ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const oldestMinor = 10;
const newestMinor = 13;

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  /** Text for the standard input. */
  readonly input?: string;
}

/** The path of the Python that has Promptise, or null when it is not installed. */
export function promptisePython(): string | null {
  if (!existsSync(python) || !existsSync(completionMark)) return null;
  return readFileSync(completionMark, 'utf8').trim() === version ? python : null;
}

/**
 * Makes the virtual environment and installs Promptise in it, unless that was
 * done before. An install that was cut short is thrown away and done again.
 */
export async function installPromptise(): Promise<string> {
  const present = promptisePython();
  if (present !== null) return present;

  const interpreter = await findInterpreter();
  await rm(environment, { recursive: true, force: true });
  await mkdir(dirname(environment), { recursive: true });
  await must(
    interpreter,
    ['-m', 'venv', environment],
    `${interpreter} could not make a virtual environment. ` +
      'Install its venv module (on Debian and Ubuntu: apt-get install python3-venv), then try again.',
  );
  await must(
    python,
    ['-m', 'pip', 'install', '--disable-pip-version-check', '--quiet', `promptise==${version}`],
    `pip could not install promptise ${version}. ` +
      'It needs a package index it can reach; check the network or the pip configuration, then try again.',
  );
  await must(
    python,
    [
      '-c',
      'from importlib.metadata import version; import promptise.runtime; ' +
        `assert version("promptise") == "${version}", version("promptise")`,
    ],
    `promptise ${version} was installed but does not load. ` +
      `Delete ${environment} and try again with another Python.`,
  );
  await writeFile(completionMark, `${version}\n`);
  return python;
}

/**
 * Runs a script of this folder (or one given by its full path) with Promptise
 * and gives back what it wrote to its standard output.
 */
export async function runPython(
  script: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const interpreter = promptisePython();
  if (interpreter === null) {
    throw new Error(`Promptise ${version} is not installed. Run: node test/interop/promptise.ts install`);
  }
  const file = resolve(import.meta.dirname, script);
  // -B leaves no bytecode beside the scripts, -X utf8 keeps the pipes in UTF-8 everywhere.
  const finished = await run(interpreter, ['-B', '-X', 'utf8', file, ...args], options);
  if (finished.code !== 0) {
    throw new Error(`${script} ended with code ${finished.code}:\n${finished.stderr.trim()}`);
  }
  return finished.stdout;
}

async function findInterpreter(): Promise<string> {
  const seen: string[] = [];
  for (const name of interpreters) {
    const asked = await run(name, ['-c', 'import sys; print(*sys.version_info[:2])']);
    if (asked.code !== 0) continue;
    const [major, minor] = asked.stdout.trim().split(' ').map(Number);
    if (major === 3 && minor !== undefined && minor >= oldestMinor && minor <= newestMinor) {
      return name;
    }
    seen.push(`${name} is ${major}.${minor}`);
  }
  const found = seen.length > 0 ? ` Found only: ${seen.join(', ')}.` : '';
  throw new Error(
    `No Python that can run promptise ${version}.${found} ` +
      `Install Python 3.${oldestMinor} to 3.${newestMinor} with its venv module and put it on the PATH.`,
  );
}

async function must(command: string, args: readonly string[], advice: string): Promise<void> {
  const finished = await run(command, args);
  if (finished.code === 0) return;
  const output = `${finished.stdout}\n${finished.stderr}`.trim();
  throw new Error(output === '' ? advice : `${advice}\n\n${output}`);
}

function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((settle, fail) => {
    const child = execFile(
      command,
      [...args],
      { cwd: options.cwd, encoding: 'utf8', maxBuffer: 1024 ** 3 },
      (error, stdout, stderr) => {
        if (error === null) return settle({ code: 0, stdout, stderr });
        if (typeof error.code === 'number') return settle({ code: error.code, stdout, stderr });
        // The command does not exist: the caller decides whether that matters.
        if (error.code === 'ENOENT') {
          return settle({ code: 127, stdout: '', stderr: `${command}: not found` });
        }
        fail(error);
      },
    );
    // A script that ends before it read everything closes its end of the pipe.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

async function main(): Promise<void> {
  if (process.argv.length !== 3 || process.argv[2] !== 'install') {
    console.error('usage: node test/interop/promptise.ts install');
    process.exitCode = 2;
    return;
  }
  try {
    console.log(await installPromptise());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

if (import.meta.main) await main();
