// How an end-to-end test gets a running console: `await using console = await launchConsole()`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { onTestFailed, type TestContext } from 'vitest';
import type * as StandIn from '../standin/electron.ts';
import { findChromium, installLine } from '../standin/find-chromium.ts';
import type { RecordedEvent } from '../standin/record.ts';

const ROOT = join(import.meta.dirname, '../..');
const ARTIFACTS = join(import.meta.dirname, 'artifacts');
const STAND_IN = join(ROOT, 'test/standin/bin/electron');

/** Starting the console on a busy machine may take a while: `vi.setConfig({ testTimeout: LIMIT_MS })`. */
export const LIMIT_MS = 120_000;
/** Of one act or look in the window. */
const PATIENCE_MS = 60_000;

/** The real binary, if `HOLDFAST_E2E_REAL=1` asks for it and the electron package has downloaded it. */
function realElectron(): string | undefined {
  if (process.env['HOLDFAST_E2E_REAL'] !== '1') return undefined;
  const pathFile = join(ROOT, 'node_modules/electron/path.txt');
  if (!existsSync(pathFile)) return undefined;
  return join(ROOT, 'node_modules/electron/dist', readFileSync(pathFile, 'utf8').trim());
}

/** Why no console can be started here, and the line that changes it; undefined if one can. */
function whyNoConsole(): string | undefined {
  const { main } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { main: string };
  if (!existsSync(join(ROOT, main))) return `${main} is not there. Build it: npm run build`;
  if (realElectron() !== undefined) return undefined;
  if (process.env['HOLDFAST_E2E_REAL'] === '1') {
    return "Electron's binary is not there. Download it: npx install-electron --no";
  }
  return findChromium() === undefined ? `There is no Chromium here. Install it: ${installLine()}` : undefined;
}

/** Skips a test that needs a console where none can run. */
export function needConsole(context: TestContext): void {
  const reason = whyNoConsole();
  context.skip(reason !== undefined, reason);
}

/** Skips a test of what only the stand-in records: trays, notifications, dialogs. */
export function needStandIn(context: TestContext): void {
  needConsole(context);
  context.skip(realElectron() !== undefined, 'Only the stand-in records what the desktop is asked for.');
}

export interface LaunchOptions {
  /** What follows the app on the command line: journals to open, `--hidden`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The user data folder. A fresh one, removed at the end, unless it is given. */
  readonly dataDirectory?: string;
}

export interface RunningConsole extends AsyncDisposable {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly host: 'electron' | 'stand-in';
  readonly dataDirectory: string;
  /** All that main has printed. */
  readonly output: () => string;
  /** Errors of the page: uncaught, or written to its console. */
  readonly pageErrors: readonly string[];
  /** What the desktop was asked for so far, oldest first, of one kind or all. On the stand-in only. */
  events(kind?: string): Promise<RecordedEvent[]>;
  /** Runs in main with the stand-in's view of `electron`, whose `__standin` clicks, drops and answers. */
  inMain<R, A>(work: (electron: typeof StandIn, argument: A) => R | Promise<R>, argument: A): Promise<R>;
  /** Quits as a person does who is asked nothing, and waits for the end. */
  close(): Promise<void>;
  /** Ends main as a power cut does. The data folder stays until `close` or disposal. */
  kill9(): Promise<void>;
  /** Writes test/e2e/artifacts/<name>.png and gives its path. */
  screenshot(name: string): Promise<string>;
}

const isPage = ({ protocol }: URL): boolean => protocol !== 'about:' && protocol !== 'data:';

/** What the windows show, as a screen reader has it; of a window that is gone or hangs, why nothing is known. */
async function lastShown(app: ElectronApplication): Promise<string> {
  const pages = app.windows().map((page) =>
    page
      .locator('body')
      .ariaSnapshot({ timeout: 5_000 })
      .catch((error: unknown) => String(error)),
  );
  return (await Promise.all(pages)).join('\n\n');
}

/** Starts the built console and waits until its window has its page. */
export async function launchConsole(options: LaunchOptions = {}): Promise<RunningConsole> {
  const real = realElectron();
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'holdfast-e2e-'));
  const app = await _electron.launch({
    executablePath: real ?? STAND_IN,
    args: [ROOT, ...(options.args ?? [])],
    // The window's own colours, not the ones that Playwright would choose.
    colorScheme: null,
    env: {
      ...(process.env as Record<string, string>),
      HOLDFAST_DATA: dataDirectory,
      HOLDFAST_QUIT: 'now',
      ...options.env,
    },
  });
  const main = app.process();
  const ended = new Promise<void>((resolve) => main.once('exit', () => resolve()));
  let output = '';
  for (const stream of [main.stdout!, main.stderr!]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const pageErrors: string[] = [];
  let shown = '';
  onTestFailed(() => {
    // A machine that is far away keeps no screenshots: what it prints is all there is to find out why.
    process.stderr.write(
      `The window at the end:\n${shown}\nErrors of the page:\n${pageErrors.join('\n')}\nMain said:\n${output}\n`,
    );
  });
  const follow = (page: Page): void => {
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') pageErrors.push(message.text());
    });
  };
  for (const page of app.windows()) follow(page);
  app.on('window', follow);

  const close = async (): Promise<void> => {
    shown = await lastShown(app);
    if (main.exitCode === null && main.signalCode === null) await app.close();
    await ended;
    if (options.dataDirectory === undefined)
      rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  try {
    const page = await app.firstWindow();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.waitForURL(isPage);
    await page.waitForLoadState();
    const inMain: RunningConsole['inMain'] = (work, argument) =>
      app.evaluate(work as never, argument) as never;
    return {
      app,
      page,
      host: real === undefined ? 'stand-in' : 'electron',
      dataDirectory,
      output: () => output,
      pageErrors,
      events: (kind) =>
        inMain(
          ({ __standin }, wanted) => (wanted === null ? __standin.events : __standin.eventsOf(wanted)),
          kind ?? null,
        ),
      inMain,
      close,
      async kill9() {
        main.kill('SIGKILL');
        await ended;
      },
      async screenshot(name) {
        const path = join(ARTIFACTS, `${name}.png`);
        await page.screenshot({ path, animations: 'disabled' });
        return path;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw new Error(`The console did not start. Main said:\n${output}`, { cause: error });
  }
}
