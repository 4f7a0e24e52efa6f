import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterAll, beforeEach, onTestFinished, vi, type TestContext } from 'vitest';
import { findChromium, installLine } from './find-chromium.ts';
import type * as StandIn from './electron.ts';

export const FIXTURE = join(import.meta.dirname, 'fixture');
export const EXECUTABLE = join(import.meta.dirname, 'bin/electron');

/** Starting a Chromium on a busy machine may take a while. */
export const LIMIT_MS = 120_000;
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

/** Skips a test where there is no Chromium, and says what installs one. */
export function needChromium(context: TestContext): void {
  context.skip(findChromium() === undefined, `There is no Chromium here. Install it: ${installLine()}`);
}

export interface Fixture extends AsyncDisposable {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly userData: string;
  /** All that main has printed so far. */
  said(): string;
  /** Runs in main, with the stand-in's own view of `electron`. */
  inMain<R, A>(work: (electron: typeof StandIn, argument: A) => R | Promise<R>, argument: A): Promise<R>;
}

/** What ends just now may leave a last file in it meanwhile. */
function removed(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

/** A folder of its own for the running test. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin-test-'));
  onTestFinished(() => removed(folder));
  return folder;
}

/** Resolves once `fact` holds. */
export async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(fact, { timeout: LIMIT_MS, interval: 20 });
}

/** Starts the fixture app and waits until its page has made a round trip to main. */
export async function launchFixture(env: Readonly<Record<string, string>> = {}): Promise<Fixture> {
  const userData = env['FIXTURE_DATA'] ?? mkdtempSync(join(tmpdir(), 'standin-test-'));
  const app = await _electron.launch({
    executablePath: EXECUTABLE,
    args: [FIXTURE],
    colorScheme: null,
    env: { ...(process.env as Record<string, string>), FIXTURE_DATA: userData, ...env },
  });
  let said = '';
  for (const stream of [app.process().stdout!, app.process().stderr!]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const page = await app.firstWindow();
  await page.waitForFunction(() => document.querySelector('#echo')?.textContent === 'hello');
  return {
    app,
    page,
    userData,
    said: () => said,
    inMain: (work, argument) => app.evaluate(work as never, argument) as never,
    async [Symbol.asyncDispose]() {
      await app.close();
      removed(userData);
    },
  };
}

/** One fixture for all tests of a group. */
export function useFixture(env: Readonly<Record<string, string>> = {}): () => Fixture {
  let fixture: Fixture | undefined;
  beforeEach(async (context) => {
    needChromium(context);
    fixture ??= await launchFixture(env);
  });
  afterAll(() => fixture?.[Symbol.asyncDispose]());
  return () => fixture!;
}
