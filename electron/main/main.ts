// The composition root of the desktop shell: the only module with effects at import, and little else than wiring.

import { app, dialog, powerMonitor, safeStorage, session, utilityProcess } from 'electron';
import { join } from 'node:path';
import type { ConsoleHost } from '../../core/contract/console-host.ts';
import type { Result } from '../../core/contract/define.ts';
import type { JournalView } from '../../core/contract/fleet-views.ts';
import { createConsoleHost } from '../../core/host/create-console-host.ts';
import { dataDirectory, knownJournalsIn } from '../../core/host/data-directory.ts';
import { prepareDemo } from '../../core/host/demo-workspace.ts';
import { messageOf } from '../../core/model/errors.ts';
import { registerAppScheme, serveApp } from './app-protocol.ts';
import { appView } from './app-view.ts';
import type { Command } from './commands.ts';
import { keepConsoleWindow } from './console-window.ts';
import { watchFleet } from './fleet-watch.ts';
import { watchIncidents } from './incident-watch.ts';
import { serveRequests } from './ipc-server.ts';
import { chooseJournal } from './journal-dialog.ts';
import { keychain } from './keychain.ts';
import { installMenu } from './menu.ts';
import { notify } from './notifications.ts';
import { parseCommandLine, parseOpenFile, type StartArguments } from './open-requests.ts';
import { operatorName } from './operator.ts';
import { demoSource, RENDERER, trayDirectory, WORKER } from './paths.ts';
import { closePlan } from './quit-plan.ts';
import { createQuitter } from './quit.ts';
import { secondWorkspace } from './second-workspace.ts';
import { hardenContents, hardenSession } from './security.ts';
import { openSettings } from './settings.ts';
import { claimSingleInstance } from './single-instance.ts';
import { hasTrayHost } from './tray-host.ts';
import { isUnderWay, trayModel, type TrayAction } from './tray-model.ts';
import { createTray, type ConsoleTray } from './tray.ts';
import { utilityWorkerHost } from './utility-worker-host.ts';

const APP_ID = 'dev.holdfast.console';
const QUIT_UNASKED = process.env['HOLDFAST_QUIT'] === 'now';

const data = dataOrEnd();
// A data folder of one's own is an instance of one's own: the lock against a second one lies in there.
if ((process.env['HOLDFAST_DATA'] ?? '') !== '') app.setPath('userData', join(data, 'console'));
if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
app.enableSandbox();
registerAppScheme();
app.on('web-contents-created', (_event, contents) => hardenContents(contents));

const start = parseCommandLine({ argv: process.argv, cwd: process.cwd(), appPath: app.getAppPath() });
/** Asked for before there is a host for it. The workspace named at the start is the one to run. */
const early: StartArguments[] = [{ workspace: null, open: start.open }];
let serve = (asked: StartArguments): void => void early.push(asked);
let presentConsole = (): void => undefined;
app.on('open-file', (event, path) => {
  event.preventDefault();
  serve({ workspace: null, open: parseOpenFile(path) });
});

const first = claimSingleInstance(start, (asked) => {
  serve(asked);
  presentConsole();
});
if (first) app.whenReady().then(run).catch(fail);
else {
  process.stderr.write('A console is running already: it was handed what was asked for here.\n');
  app.exit(0);
}

function dataOrEnd(): string {
  try {
    return dataDirectory();
  } catch (error) {
    fail(error);
    process.exit(1);
  }
}

/** Null: whoever opens a journal wants to look at it, which starts nothing [P6]. */
async function workspaceToRun(): Promise<string | null> {
  if (start.workspace !== null) return start.workspace;
  return start.open.length > 0 ? null : prepareDemo(data, demoSource(app.isPackaged));
}

async function startHost(
  workspace: Promise<string | null>,
  choose: () => Promise<string | null>,
): Promise<ConsoleHost> {
  return createConsoleHost({
    app: appView(app.getVersion(), process.platform, process.versions),
    workspace: await workspace,
    workerHost: utilityWorkerHost((...call) => utilityProcess.fork(...call), WORKER),
    knownJournals: knownJournalsIn(data),
    secretStore: keychain({
      safeStorage,
      platform: process.platform,
      path: join(data, 'keychain.json'),
      allowPlainText: process.env['HOLDFAST_ALLOW_PLAIN_TEXT_SECRETS'] === '1',
    }),
    operator: operatorName(),
    chooseJournal: choose,
  });
}

async function run(): Promise<void> {
  hardenSession(session.defaultSession);
  serveApp(RENDERER);

  const settings = openSettings(join(app.getPath('userData'), 'shell.json'));
  const workspace = workspaceToRun();
  const starting = startHost(workspace, () => chooseJournal(settings));
  let host: ConsoleHost | null = null;
  let tray: ConsoleTray | null = null;
  let visible = true;

  const quitter = createQuitter({
    host: starting,
    busy: () => host?.busy() ?? [],
    ending: () => tray?.destroy(),
    cancelled: () => view.present(),
  });
  const view = keepConsoleWindow({
    closing: () =>
      closePlan({
        underWay: host?.fleet().processes.filter(isUnderWay).length ?? 0,
        hasTray: tray !== null,
        hideOnClose: settings.get().hideOnClose,
        quitting: quitter.quitting(),
      }),
    hidden: () => {
      if (settings.get().hideExplained) return;
      settings.update({ hideExplained: true });
      notify(
        {
          title: 'Holdfast keeps running',
          body: 'Its processes go on. The tray brings the window back, and quits. The File menu has the setting.',
        },
        () => view.present(),
      );
    },
    visible: (now) => {
      visible = now;
      host?.setVisible(now);
    },
    givenUp: (reason) => {
      dialog.showErrorBox(
        'The console keeps crashing',
        `Its page ended three times within a minute (${reason}). The processes are not affected. Reload it from ` +
          'the View menu, or quit and start again.',
      );
    },
    sessionEnding: () => quitter.quit(true),
  });
  presentConsole = () => view.present();

  const opened = (result: Result<unknown>): void => {
    if (!result.ok) {
      view.deliver({ name: 'console.notice', payload: { ...result.error, tone: 'attention' } });
    } else if (result.value !== null) {
      const { id, directory } = result.value as JournalView;
      if (process.platform !== 'linux') app.addRecentDocument(directory);
      const inside = host?.fleet().processes.filter((row) => row.journalId === id) ?? [];
      const [only] = inside.length === 1 ? inside : [];
      view.deliver({
        name: 'console.show',
        payload: { target: only === undefined ? null : { journalId: id, process: only.name } },
      });
    }
    view.present();
  };
  const command = (name: Command): void => {
    switch (name) {
      case 'open-journal':
        starting.then((up) => up.handle('journals.choose', {})).then(opened, fail);
        return;
      case 'toggle-hide-on-close':
        settings.update({ hideOnClose: !settings.get().hideOnClose });
        return;
      case 'reload':
        view.reload();
        return;
    }
  };
  const act = (action: TrayAction): void => {
    switch (action.type) {
      case 'show':
        view.present();
        return;
      case 'open-journal':
        command('open-journal');
        return;
      case 'show-waiting':
        view.deliver({ name: 'console.show', payload: { target: null, view: 'waiting' } });
        view.present();
        return;
      case 'show-process':
        show({ journalId: action.journalId, process: action.process });
        return;
      case 'quit':
        quitter.quit(QUIT_UNASKED);
        return;
    }
  };
  const show = (target: { journalId: string; process: string } | null): void => {
    view.deliver({ name: 'console.show', payload: { target } });
    view.present();
  };

  serveRequests(starting, () => view.heard());
  installMenu({
    platform: process.platform,
    developer: !app.isPackaged,
    hideOnClose: settings.get().hideOnClose,
    run: command,
  });
  app.on('before-quit', (event) => {
    event.preventDefault();
    quitter.quit(QUIT_UNASKED);
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') quitter.quit(QUIT_UNASKED);
  });
  app.on('activate', () => view.present());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => quitter.quit(true));
  powerMonitor.on('shutdown', () => quitter.quit(true));
  view.present();

  host = await starting;
  host.setVisible(visible);
  host.subscribe((event) => view.deliver(event));
  const up = host;
  const asked = await workspace;
  const lookAtSecond = async (path: string): Promise<void> => {
    const result = (await up.handle('journals.open', { path })) as Result<JournalView>;
    const runs = up.fleet().journals.some(({ access }) => access === 'live') ? asked : null;
    const { shows, notice } = secondWorkspace(path, runs, result);
    if (shows) opened(result);
    if (notice !== null) view.deliver({ name: 'console.notice', payload: notice });
  };
  serve = ({ workspace: second, open }) => {
    for (const path of open) up.handle('journals.open', { path }).then(opened, fail);
    if (second !== null) lookAtSecond(second).catch(fail);
  };
  early.forEach((each) => serve(each));

  if (await hasTrayHost(process.platform, process.env)) {
    tray = createTray(trayDirectory(app.isPackaged), trayModel(host.fleet()), act);
  }
  const incidents = watchIncidents(
    () => up.fleet(),
    ({ target, ...told }) => notify(told, () => show(target)),
  );
  watchFleet(host, (fleet) => {
    tray?.show(trayModel(fleet));
    incidents(fleet);
  });
}

/** Without a host there is nothing to show. */
function fail(error: unknown): void {
  process.stderr.write(`Holdfast could not start: ${messageOf(error)}\n`);
  dialog.showErrorBox('Holdfast could not start', messageOf(error));
  app.exit(1);
}
