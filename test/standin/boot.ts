// Runs an Electron app's main process on Node. `bin/electron` starts this; so may anybody, with Node 24.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { startChromium, type Chromium } from './chromium/chromium.ts';
import { Targets } from './chromium/targets.ts';
import { app } from './main/app.ts';
import { setDesktop } from './main/desktop.ts';
import { settings } from './main/settings.ts';
import { lineFor } from './main/terminal.ts';
import { webContents } from './main/web-contents.ts';
import { onRecord, record } from './record.ts';
import { parseArguments } from './start/arguments.ts';
import { findEntry, installedElectron } from './start/entry.ts';
import { nodePath } from './start/node-path.ts';
import { mapElectron } from './start/hooks.ts';

const NOT_PROVEN = 'OS sandbox, fuses, ASAR, native tray and menus, code signing, utilityProcess';

function lookLikeElectron(given: readonly string[]): void {
  process.execPath = process.env['STANDIN_EXECUTABLE'] ?? nodePath;
  delete process.env['STANDIN_EXECUTABLE'];
  process.argv = [process.execPath, ...given];
  Object.defineProperties(process, {
    type: { value: 'browser' },
    defaultApp: { value: true },
    resourcesPath: { value: settings.appPath },
    versions: {
      configurable: true,
      value: { ...process.versions, electron: installedElectron(), standin: '1' },
    },
  });
}

/** Chromium opens pages that nobody here asked for: a link that got past the page's guard, a person's Ctrl+N. */
function openTargets(chromium: Chromium): Targets {
  const targets = new Targets(chromium, ({ targetId, url, openerId }) => {
    if (url.startsWith('devtools://')) return;
    webContents.getAllWebContents().some((contents) => contents.claimStray(url, openerId));
    targets.close(targetId);
  });
  return targets;
}

async function start(given: readonly string[]): Promise<void> {
  const { preloads, app: target, debuggingPort } = parseArguments(given);
  const entry = findEntry(target);
  Object.assign(settings, {
    appPath: entry.appPath,
    name: entry.name,
    version: entry.version,
    attended: debuggingPort === undefined,
  });
  mapElectron(new URL('./electron.ts', import.meta.url).href);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit());
  if (settings.attended) {
    onRecord((event) => {
      const line = lineFor(event);
      if (line !== undefined) console.log(`host: ${line}`);
    });
  }

  const headless = process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'];
  const starting = startChromium({ port: debuggingPort, headless, onEnd: () => app.quit() });
  const require = createRequire(import.meta.url);
  for (const preload of preloads) require(preload);
  const [chromium] = await Promise.all([starting, import(pathToFileURL(entry.script).href)]);

  Object.defineProperty(process, 'versions', { value: { ...process.versions, chrome: chromium.version } });
  setDesktop(openTargets(chromium));
  const host = `host: stand-in, Chromium ${chromium.version} (does not prove: ${NOT_PROVEN})`;
  console.log(host);
  record('host', { line: host });
  app.becomeReady();
}

const given = process.argv.slice(2);
lookLikeElectron(given);
start(given).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
