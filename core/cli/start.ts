// `npm start [-- [--workspace DIR] [JOURNAL…]]`: shows the console in the best shell that this machine has.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { dataDirectory } from '../host/data-directory.ts';
import { prepareDemo } from '../host/demo-workspace.ts';
import { messageOf } from '../model/errors.ts';
import { isBuildStale } from './build-age.ts';
import { EXIT } from './exit-codes.ts';
import { electronBinary, failedLately, fetchElectron, type ElectronPlaces } from './fetch-electron.ts';
import { readStartArguments, type StartArguments } from './start-arguments.ts';
import { planStart, type Machine, type Shell } from './start-plan.ts';

const root = resolve(import.meta.dirname, '../..');
const places: ElectronPlaces = {
  package: join(root, 'node_modules/electron'),
  cache: join(root, 'node_modules/.cache/holdfast'),
};

/** A shell that ends with an error before this has not started: what else could be tried then. */
const AT_ONCE_MS = 5_000;
const SHELL_ENDED: Readonly<Record<Shell, readonly string[]>> = {
  electron: [
    'It ended at once. `HOLDFAST_HOST=standin npm start` uses Chromium, `HOLDFAST_HOST=terminal npm start` this terminal.',
  ],
  standin: ['It ended at once. `HOLDFAST_HOST=terminal npm start` uses this terminal.'],
  terminal: [],
};

/** The stand-in and what it needs belong to the tests, so the product asks for them only here and only by path. */
async function chromium(): Promise<{ hasChromium: boolean; installLine: string }> {
  const finder = (await import(join(root, 'test/standin/find-chromium.ts'))) as {
    findChromium(): string | undefined;
    installLine(): string;
  };
  return { hasChromium: finder.findChromium() !== undefined, installLine: finder.installLine() };
}

async function look(): Promise<Machine> {
  mkdirSync(places.cache, { recursive: true });
  const forced = process.env['HOLDFAST_HOST'] === 'electron';
  const tried = !forced && failedLately(places, Date.now());
  return {
    platform: process.platform,
    env: process.env,
    electron: electronBinary(places) === null ? (tried ? 'unreachable' : 'absent') : 'present',
    ...(await chromium()),
    isTty: process.stdin.isTTY && process.stdout.isTTY,
    isRoot: process.getuid?.() === 0,
  };
}

async function fetched(machine: Machine): Promise<Machine> {
  const shows = process.stderr.isTTY;
  const reason = await fetchElectron({
    places,
    started: endWithUs,
    progress: (megabytes) => {
      if (shows) process.stderr.write(`\r  ${String(megabytes)} MB`);
    },
  });
  if (shows) process.stderr.write('\r\u001B[K');
  if (reason !== null)
    console.error(`It can’t: ${reason}. The next try is in a day, or with HOLDFAST_HOST=electron.`);
  return { ...machine, electron: reason === null ? 'present' : 'unreachable' };
}

async function commandOf(
  shell: Shell,
  flags: readonly string[],
  asked: StartArguments,
): Promise<[string, string[]]> {
  const toShell = [
    root,
    ...flags,
    ...(asked.workspace === null ? [] : ['--workspace', asked.workspace]),
    ...asked.journals,
  ];
  switch (shell) {
    case 'electron':
      return [electronBinary(places) ?? '', toShell];
    case 'standin':
      return [join(root, 'test/standin/bin/electron'), toShell];
    case 'terminal':
      return [process.execPath, [join(import.meta.dirname, 'holdfast.ts'), ...(await terminalVerb(asked))]];
  }
}

async function terminalVerb({ workspace, journals }: StartArguments): Promise<string[]> {
  const [journal] = journals;
  if (workspace === null && journal !== undefined) return ['status', journal];
  if (workspace !== null) return ['run', workspace];
  return ['run', await prepareDemo(dataDirectory(), join(root, 'resources/demo'))];
}

let child: ChildProcess | null = null;
function endWithUs(started: ChildProcess): void {
  child = started;
}
let handedOver = false;
/** In a terminal Ctrl-C reaches the whole group, the shell included; anything else has to be handed on. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!handedOver) process.exit(128 + constants.signals[signal]);
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child?.kill(signal);
  });
}
process.on('exit', () => child?.kill('SIGKILL'));

/** The terminal runs the sources; a window shows what is built from them. */
async function build(): Promise<void> {
  if (!isBuildStale(root)) return;
  const building = spawn(process.execPath, [join(root, 'electron/build.ts')], {
    stdio: 'inherit',
    cwd: root,
  });
  endWithUs(building);
  const [code] = (await once(building, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The console could not be built; the reason is above.');
}

async function main(): Promise<void> {
  // Not where npm runs its scripts, but where the person typed.
  const asked = readStartArguments(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd());
  if (asked.kind === 'answer') {
    if (asked.exitCode === EXIT.ok) console.log(asked.text);
    else console.error(asked.text);
    process.exitCode = asked.exitCode;
    return;
  }
  let machine = await look();
  let plan = planStart(machine);
  if (plan.kind === 'fetch') {
    plan.says.forEach((line) => console.error(line));
    machine = await fetched(machine);
    plan = planStart(machine);
  }
  plan.says.forEach((line) => console.error(line));
  if (plan.kind !== 'start') {
    process.exitCode = 1;
    return;
  }
  if (plan.shell !== 'terminal') {
    // A window keeps its things there; that it can't is said before anything is built for it.
    dataDirectory();
    await build();
  }
  const [command, words] = await commandOf(plan.shell, plan.flags, asked);
  const running = spawn(command, words, { stdio: 'inherit', cwd: root });
  endWithUs(running);
  handedOver = true;
  running.once('error', (error) => {
    console.error(`${command} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  const started = performance.now();
  running.once('exit', (code, signal) => {
    if (code !== 0 && performance.now() - started < AT_ONCE_MS)
      SHELL_ENDED[plan.shell].forEach((line) => console.error(line));
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
