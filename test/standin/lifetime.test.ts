import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { killProcess } from '../support/kill-process.ts';
import {
  needChromium,
  EXECUTABLE,
  FIXTURE,
  launchFixture,
  LIMIT_MS,
  scratch,
  until,
  type Fixture,
} from './launch.ts';

interface Started {
  readonly output: string;
  readonly code: number | null;
}

/** Starts the app as a person does, without Playwright, and waits for its end. */
function startPlainly(userData: string, args: readonly string[], until?: string): Promise<Started> {
  return new Promise((resolve) => {
    const child = spawn(EXECUTABLE, [FIXTURE, ...args], { env: { ...process.env, FIXTURE_DATA: userData } });
    let output = '';
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      if (until !== undefined && output.includes(until)) child.kill('SIGINT');
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('close', (code) => resolve({ output, code }));
  });
}

/** The processes that name this profile, and so belong to one main process's Chromium. */
function processesOf(mainPid: number): string[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').filter((line) => line.includes(`holdfast-standin-${mainPid}-`));
}

const profilesOf = (mainPid: number): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`holdfast-standin-${mainPid}-`));

const windowsOf = (fixture: Fixture): Promise<number> =>
  fixture.inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows().length, null);

/** As a person does it: Chromium's window goes, whatever main thinks of that. */
async function closeByHand({ app, page }: Fixture): Promise<void> {
  const session = await app.context().newCDPSession(page);
  const isClosed = page.waitForEvent('close', { timeout: LIMIT_MS });
  // With the last window all ends, maybe before Chromium has answered.
  session.send('Page.close').catch(() => {});
  await isClosed;
}

describe('how the app starts and ends', () => {
  beforeEach(needChromium);

  it('hands a second launch over to the first, within the same user data folder only', async () => {
    await using fixture = await launchFixture();
    const second = await startPlainly(fixture.userData, ['/a/journal.holdfast']);
    expect(second.output).toContain('fixture: first false');
    expect(second.code).toBe(0);
    const told = await vi.waitUntil(() => /fixture: second (.*)\n/.exec(fixture.said())?.[1], {
      timeout: LIMIT_MS,
    });
    expect(JSON.parse(told)).toEqual({
      argv: [FIXTURE, '/a/journal.holdfast'],
      cwd: process.cwd(),
      data: { open: ['/from/the/launch'] },
    });
    const elsewhere = await startPlainly(scratch(), [], 'host: stand-in');
    expect(elsewhere.output).toContain('fixture: first true');
  });

  it('takes over the lock of an instance that was killed', async () => {
    const killed = await launchFixture({ FIXTURE_DATA: scratch() });
    const gone = new Promise((resolve) => killed.app.process().once('exit', resolve));
    process.kill(killed.app.process().pid!, 'SIGKILL');
    await gone;
    const next = await startPlainly(killed.userData, [], 'host: stand-in');
    expect(next.output).toContain('fixture: first true');
  });

  it('starts for a person without opening a port, and quits on Ctrl+C without a complaint', async () => {
    const { output, code } = await startPlainly(scratch(), [], 'host: stand-in');
    expect(code).toBe(0);
    expect(output).toMatch(/^host: stand-in, Chromium [\d.]+ \(does not prove: /m);
    expect(output).not.toContain('listening on');
    expect(output.split('\n').filter((line) => line !== '' && !/^(host|fixture): /.test(line))).toEqual([]);
  });

  it('leaves no Chromium and no profile behind when it quits', async () => {
    const fixture = await launchFixture({ FIXTURE_DATA: scratch() });
    const pid = fixture.app.process().pid!;
    expect(processesOf(pid).length).toBeGreaterThan(0);
    await fixture[Symbol.asyncDispose]();
    await until(() => processesOf(pid).length === 0);
    expect(profilesOf(pid)).toEqual([]);
    expect(fixture.said()).not.toMatch(/unhandled|rejection|stand-in:/i);
  });

  it('leaves no Chromium behind when it is killed, and the next start removes the profile', async () => {
    const fixture = await launchFixture({ FIXTURE_DATA: scratch() });
    const pid = fixture.app.process().pid!;
    process.kill(pid, 'SIGKILL');
    await until(() => processesOf(pid).length === 0);
    const next = await launchFixture();
    await expect.poll(() => profilesOf(pid), { timeout: LIMIT_MS }).toEqual([]);
    await next[Symbol.asyncDispose]();
  });

  it('leaves no Chromium behind when it is killed, not even one that hangs', async () => {
    const fixture = await launchFixture({ FIXTURE_DATA: scratch() });
    const pid = fixture.app.process().pid!;
    // One that was listed may have ended meanwhile.
    for (const line of processesOf(pid)) killProcess(Number(line.trim().split(' ')[0]), 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => processesOf(pid), { timeout: LIMIT_MS }).toEqual([]);
  });

  it('quits when Chromium ends', async () => {
    const fixture = await launchFixture({ FIXTURE_DATA: scratch() });
    const main = fixture.app.process();
    const ended = new Promise((resolve) => main.once('exit', resolve));
    // Of those without a type it is not the one that only asks it for a window.
    const browser = processesOf(main.pid!).find(
      (line) => line.includes('--remote-debugging-pipe') && !line.includes('--type='),
    );
    process.kill(Number(browser!.trim().split(' ')[0]), 'SIGKILL');
    expect(await ended).toBe(0);
  });

  it('treats a window closed by hand as closed by its button, and quits with the last one', async () => {
    const fixture = await launchFixture({ FIXTURE_DATA: scratch() });
    const ended = new Promise((resolve) => fixture.app.process().once('exit', resolve));
    await closeByHand(fixture);
    await ended;
    expect(fixture.said()).not.toMatch(/unhandled|rejection|stand-in:/i);
  });

  it('opens such a window again, on its page, if the app only hid it', async () => {
    await using fixture = await launchFixture({ FIXTURE_HIDES: '1' });
    await closeByHand(fixture);
    await until(() => fixture.app.windows().length === 0);
    // Main hears of it by itself, and maybe later.
    const isVisible = () =>
      fixture.inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.isVisible(), null);
    await until(async () => !(await isVisible()));
    expect(await windowsOf(fixture)).toBe(1);
    const again = fixture.app.waitForEvent('window');
    await fixture.inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.show(), null);
    const page = await again;
    await page.waitForFunction(() => document.querySelector('#echo')?.textContent === 'hello');
    expect(page.url()).toBe('http://fixture.app.localhost/');
  });

  it('hears of a page whose process died, and can load it again', async () => {
    await using fixture = await launchFixture();
    const heard = fixture.inMain(
      ({ app, BrowserWindow }) =>
        new Promise<unknown>((resolve) => {
          app.once('render-process-gone', (_event, _contents, details: unknown) => resolve(details));
          BrowserWindow.getAllWindows()[0]!.webContents.forcefullyCrashRenderer();
        }),
      null,
    );
    expect(await heard).toMatchObject({ reason: 'crashed' });
    await fixture.inMain(async ({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows()[0]!;
      await webContents.loadURL('app://fixture/');
    }, null);
    expect(
      await fixture.inMain(
        ({ BrowserWindow }) =>
          BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript('bridge.version'),
        null,
      ),
    ).toBe(7);
  });

  it('works with the electron package, which Playwright finds by itself', async () => {
    const script = `
      import { _electron } from 'playwright-core';
      const app = await _electron.launch({ args: [process.argv[1]] });
      const page = await app.firstWindow();
      await page.waitForFunction(() => document.querySelector('#echo')?.textContent === 'hello');
      console.log(await page.title(), await app.evaluate(({ app }) => app.isReady()));
      await app.close();`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script, FIXTURE], {
      encoding: 'utf8',
      cwd: join(import.meta.dirname, '../..'),
      env: {
        ...process.env,
        ELECTRON_OVERRIDE_DIST_PATH: join(import.meta.dirname, 'bin'),
        FIXTURE_DATA: scratch(),
      },
    });
    expect(output.trim()).toBe('Fixture true');
  });
});
