import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isExecutable: (path: string) => boolean;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

const MAC = ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

const WINDOWS = [
  ['Chromium', 'Application', 'chrome.exe'],
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

const thisMachine: Machine = {
  platform: process.platform,
  env: process.env,
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
};

/** What a person on this machine types to get a Chromium; a sentence where no single command does. */
export function installLine(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'brew install --cask chromium';
  if (platform === 'win32') return 'winget install Google.Chrome';
  return 'apt-get install chromium';
}

/** Every place where a Chromium may lie on this machine, the most wanted first. */
export function chromiumPlaces({ platform, env }: Pick<Machine, 'platform' | 'env'>): string[] {
  if (platform === 'win32') {
    const roots = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']];
    return WINDOWS.flatMap((parts) =>
      roots.filter((root) => root !== undefined).map((root) => join(root, ...parts)),
    );
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return platform === 'darwin' ? [...MAC, ...onPath] : onPath;
}

/** The path of a Chromium: `STANDIN_CHROMIUM` if it is set, else the first that can be run, else undefined. */
export function findChromium(machine: Machine = thisMachine): string | undefined {
  const named = machine.env['STANDIN_CHROMIUM'];
  if (named) return machine.isExecutable(named) ? named : undefined;
  return chromiumPlaces(machine).find(machine.isExecutable);
}
