// The shell as a person meets it outside of its window: tray, notifications, closing, quitting, a second launch. Run in
// the stand-in, which records what the desktop would have seen.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launchConsole, LIMIT_MS, needStandIn, type LaunchOptions, type RunningConsole } from '../e2e/app.ts';

const project = resolve(import.meta.dirname, '../..');
const standIn = join(project, 'test/standin/bin/electron');
const PATIENCE = { timeout: 40_000 };

describe('the shell', { timeout: LIMIT_MS }, () => {
  let directory = '';
  let running: RunningConsole | null = null;
  let main: ChildProcess | null = null;
  beforeEach((context) => {
    needStandIn(context);
    directory = mkdtempSync(join(tmpdir(), 'holdfast-shell-work-'));
  });
  afterEach(async () => {
    // A signal is not asked whether it is sure, whatever the application was set to.
    if (main !== null && !hasEnded()) {
      const ended = once(main, 'exit');
      main.kill('SIGTERM');
      await ended;
    }
    await running?.close();
    running = null;
    main = null;
    rmSync(directory, { recursive: true, force: true });
  });

  /** A workspace of one agent that is triggered every second. */
  function workspaceOf(name: string, body: string, config = ''): string {
    const workspace = join(directory, 'workspace');
    mkdirSync(workspace);
    writeFileSync(
      join(workspace, `${name}.agent`),
      `version: "1.0"\nname: ${name}\nentrypoint: ./${name}.ts\ntriggers:\n  - type: cron\n    cron_expression: "* * * * * */1"\n${config}`,
    );
    writeFileSync(
      join(workspace, `${name}.ts`),
      `import { defineAgent } from 'holdfast';\nexport default defineAgent({ async onTrigger(ctx) { ${body} } });\n`,
    );
    return workspace;
  }
  const start = async ({ env, ...options }: LaunchOptions): Promise<void> => {
    running = await launchConsole({ ...options, env: { HOLDFAST_TRAY: 'no', ...env } });
    main = running.app.process();
  };
  const hasEnded = (): boolean => main!.exitCode !== null || main!.signalCode !== null;
  const isVisible = (): Promise<boolean> =>
    running!.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false);
  const closeWindow = (): Promise<void> =>
    running!.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  const lastTooltip = async (): Promise<unknown> => (await running!.events('tray.tooltip')).at(-1)?.['text'];

  test('closing hides while processes run, says so once, and the tray brings it back', async () => {
    const workspace = workspaceOf('clerk', 'return "ok";');
    await start({ args: ['--workspace', workspace], env: { HOLDFAST_TRAY: 'yes' } });
    await expect.poll(lastTooltip, PATIENCE).toBe('Holdfast: 1 running');
    for (let round = 0; round < 2; round++) {
      await closeWindow();
      await expect.poll(isVisible, PATIENCE).toBe(false);
      expect(hasEnded()).toBe(false);
      await running!.inMain(({ __standin }) => __standin.clickTrayItem('Open Holdfast'), null);
      await expect.poll(isVisible, PATIENCE).toBe(true);
    }
    expect(await running!.events('notification')).toHaveLength(1);
  });

  test('without a tray nothing is hidden: closing the window ends it', async () => {
    const workspace = workspaceOf('clerk', 'return "ok";');
    await start({ args: ['--workspace', workspace] });
    const ended = once(main!, 'exit');
    await closeWindow().catch(() => undefined);
    await ended;
    expect(main!.exitCode).toBe(0);
  });

  test('a process that fails is told once, and the notification leads to it', async () => {
    const workspace = workspaceOf(
      'clerk',
      'throw new Error("no key");',
      'config:\n  max_consecutive_failures: 1\n  restart_policy: never\n',
    );
    await start({ args: ['--workspace', workspace], env: { HOLDFAST_TRAY: 'yes' } });
    await expect.poll(async () => (await running!.events('notification')).length, PATIENCE).toBe(1);
    await expect.poll(lastTooltip, PATIENCE).toBe('Holdfast: 1 failed');
    const [notification] = await running!.events('notification');
    expect(JSON.stringify(notification)).toContain('clerk failed');
    await running!.inMain(({ __standin }) => __standin.clickNotification(0), null);
    await expect.poll(() => running!.page.getByText('no key').first().isVisible(), PATIENCE).toBe(true);
  });

  test('quitting in the middle of an invocation asks; no keeps everything, yes ends it', async () => {
    const workspace = workspaceOf(
      'clerk',
      'await ctx.effect("wait", { class: "retry" }, () => new Promise(() => {}));',
    );
    await start({ args: ['--workspace', workspace], env: { HOLDFAST_QUIT: 'ask' } });
    const doing = async () => (await row())?.why ?? '';
    await expect.poll(doing, PATIENCE).toContain('performing wait');
    const quitAnswering = (response: number): Promise<void> =>
      running!.inMain(({ __standin, app }, response) => {
        __standin.answerDialog('showMessageBox', { response, checkboxChecked: false });
        app.quit();
      }, response);

    await quitAnswering(1);
    await expect
      .poll(() => running!.events('dialog'), PATIENCE)
      .toEqual([
        expect.objectContaining({ method: 'showMessageBox', buttons: ['Suspend All and Quit', 'Cancel'] }),
      ]);
    expect(await doing()).toContain('performing wait');
    expect(hasEnded()).toBe(false);

    const ended = once(main!, 'exit');
    await quitAnswering(0).catch(() => undefined);
    await ended;
    expect(main!.exitCode).toBe(0);
  });

  interface Row {
    readonly name: string;
    readonly live: boolean;
    readonly journalId: string;
    readonly why: string;
    readonly worker: { readonly pid: number; readonly generation: number } | null;
  }
  const fleet = () =>
    running!.page.evaluate(async () => {
      const answer = await window.holdfast.requests['fleet.read']?.({});
      return (
        answer as unknown as {
          value: { journals: { directory: string; access: string }[]; processes: Row[] };
        }
      ).value;
    });
  const row = async (): Promise<Row | undefined> => (await fleet()).processes[0];

  test('a worker that is stuck is killed, and the next one goes on [P2]', async () => {
    const workspace = workspaceOf('clerk', 'for (;;);');
    await start({ args: ['--workspace', workspace] });
    await expect.poll(async () => (await row())?.worker?.generation ?? 0, PATIENCE).toBeGreaterThan(0);
    const before = (await row())!;
    const answer = await running!.page.evaluate(
      ({ journalId, name, commandId }) =>
        window.holdfast.requests['processes.kill-worker']?.({
          journalId,
          process: name,
          commandId,
          reason: 'stuck',
        }),
      { ...before, commandId: randomUUID() },
    );
    expect(answer).toMatchObject({ ok: true });
    await expect
      .poll(async () => (await row())?.worker?.generation ?? 0, PATIENCE)
      .toBeGreaterThan(before.worker!.generation);
    expect(() => process.kill(before.worker!.pid, 0)).toThrow('ESRCH');
  });

  test('a module that can’t be loaded says why', async () => {
    const workspace = workspaceOf('clerk', 'return "ok";');
    writeFileSync(join(workspace, 'clerk.ts'), 'throw new Error("no such ledger");\n');
    await start({ args: ['--workspace', workspace] });
    const timeline = async (): Promise<string> => {
      const { journalId = '', name = '' } = (await row()) ?? {};
      const page = await running!.page.evaluate(
        ({ journalId, name }) =>
          window.holdfast.requests['timeline.read']?.({ journalId, process: name, before: null, limit: 50 }),
        { journalId, name },
      );
      return JSON.stringify(page);
    };
    await expect.poll(timeline, PATIENCE).toContain('no such ledger');
  });

  test('a second launch hands over what it was asked to open, and ends', async () => {
    const journal = join(directory, 'journal');
    cpSync(join(project, 'test/journals/promptise/article/journal'), journal, { recursive: true });
    const workspace = workspaceOf('clerk', 'return "ok";');
    await start({ args: ['--workspace', workspace] });
    const second = spawn(standIn, [project, 'journal'], {
      cwd: directory,
      env: { ...process.env, HOLDFAST_DATA: running!.dataDirectory, HOLDFAST_QUIT: 'now' },
    });
    const [code] = (await once(second, 'exit')) as [number];
    expect(code).toBe(0);
    const opened = async () => (await fleet()).journals;
    await expect
      .poll(opened, PATIENCE)
      .toContainEqual(expect.objectContaining({ directory: journal, access: 'read-only' }));
  });

  test('a second launch with a workspace is told, here and there: the first console runs one', async () => {
    const workspace = workspaceOf('clerk', 'return "ok";');
    await start({ args: ['--workspace', workspace] });
    const other = join(directory, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'north.agent'), 'version: "1.0"\nname: north\nentrypoint: ./north.ts\n');
    cpSync(join(project, 'test/journals/promptise/article/journal'), join(other, '.promptise/journal'), {
      recursive: true,
    });
    const second = spawn(standIn, [project, '--workspace', 'other'], {
      cwd: directory,
      env: { ...process.env, HOLDFAST_DATA: running!.dataDirectory, HOLDFAST_QUIT: 'now' },
    });
    let said = '';
    second.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const [code] = (await once(second, 'close')) as [number];
    expect(code).toBe(0);
    expect(said.match(/A console is running already/g)).toHaveLength(1);
    const notice = running!.page.getByText(
      `This console already runs ${workspace}. To run ${other}, quit it`,
    );
    await expect.poll(() => notice.first().isVisible(), PATIENCE).toBe(true);
    const shown = async () => (await fleet()).processes.map(({ name, live }) => [name, live]);
    await expect.poll(shown, PATIENCE).toEqual([
      ['clerk', true],
      ['market-watcher', false],
    ]);
  });

  test('whoever opens a journal only looks: nothing is started [P6]', async () => {
    const journal = join(directory, 'journal');
    cpSync(join(project, 'test/journals/promptise/article/journal'), journal, { recursive: true });
    await start({ args: [journal] });
    const live = async () => (await fleet()).processes.map((each) => [each.name, each.live]);
    await expect.poll(live, PATIENCE).toEqual([['market-watcher', false]]);
  });

  test('what can’t be opened is said in the console', async () => {
    await start({ args: [join(directory, 'nowhere')] });
    await expect.poll(() => running!.page.getByText('nowhere').first().isVisible(), PATIENCE).toBe(true);
  });
});
