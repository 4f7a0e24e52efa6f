import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as standIn from './electron.ts';
import { WebFrameMain } from './main/frames.ts';
import { WebContents } from './main/web-contents.ts';
import { usesBelow, usesIn, type Use } from './members.ts';
import { createRenderer } from './page/renderer.ts';
import * as utility from './utility/electron.ts';

const ROOT = join(import.meta.dirname, '../..');

// What a class's fields are called only its instances show; these are public fields of the stand-in's classes.
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'BrowserWindow#': ['id', 'webContents'],
  'WebContents#': ['id', 'ipc', 'session'],
  'WebFrameMain#': Object.keys(new WebFrameMain('', null)),
  'Notification#': Object.keys(new standIn.Notification()),
  'Tray#': ['menu'],
  'Menu#': Object.keys(new standIn.Menu()),
  'MenuItem#': Object.keys(new standIn.MenuItem({})),
  'MessageChannelMain#': ['port1', 'port2'],
};

const INSTANCES: Readonly<Record<string, object>> = {
  'BrowserWindow#': standIn.BrowserWindow.prototype,
  'Menu#': standIn.Menu.prototype,
  'MenuItem#': standIn.MenuItem.prototype,
  'MessageChannelMain#': standIn.MessageChannelMain.prototype,
  'Notification#': standIn.Notification.prototype,
  'Session#': standIn.session.defaultSession,
  'Tray#': standIn.Tray.prototype,
  'WebContents#': WebContents.prototype,
  'WebFrameMain#': WebFrameMain.prototype,
};

/** Whether the stand-in has it. A class of which nothing is known here is a type only. */
function provides(modules: Readonly<Record<string, unknown>>, { of, member }: Use): boolean {
  if (of.endsWith('#')) {
    const known = INSTANCES[of];
    return known === undefined || member in known || (FIELDS[of] ?? []).includes(member);
  }
  const found = modules[of];
  return found !== undefined && (member === '' || member in (found as object));
}

const missing = (folder: string, modules: Readonly<Record<string, unknown>>): string[] => {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return [];
  return usesBelow(path)
    .filter((use) => !provides(modules, use))
    .map(({ file, of, member }) => `${relative(ROOT, file)}: ${of}${member && `.${member}`}`);
};

describe('what the product uses of Electron', () => {
  it('is found in source text', () => {
    const source = `
      import { app, BrowserWindow as Window, type Session } from 'electron';
      import type { Tray } from 'electron/main';
      import { other } from './app.ts';
      // app.notThis
      const window = new Window();
      app.whenReady().then(() => window.webContents.send('x', app.name));
      function show(tray: Tray, from: Session) { tray.setTitle(''); from.clearCache(); Window.getAllWindows(); }`;
    const uses = usesIn('f.ts', source).map(({ of, member }) => `${of}.${member}`);
    expect(new Set(uses)).toEqual(
      new Set([
        'app.',
        'app.whenReady',
        'app.name',
        'BrowserWindow.',
        'BrowserWindow.getAllWindows',
        'BrowserWindow#.webContents',
        'WebContents#.send',
        'Session#.clearCache',
        'Tray#.setTitle',
      ]),
    );
  });

  it('misses nothing in the stand-in: main', () => {
    expect(missing('electron/main', standIn)).toEqual([]);
  });

  it('misses nothing in the stand-in: preload', () => {
    const renderer = createRenderer(() => undefined).modules;
    // The isolated world adds this one, which needs a page.
    const contextBridge = { exposeInMainWorld: undefined };
    expect(missing('electron/preload', { ...renderer, contextBridge })).toEqual([]);
  });

  it('misses nothing in the stand-in: worker', () => {
    expect(missing('electron/worker', utility)).toEqual([]);
  });

  it('is noticed when the stand-in lacks it', () => {
    expect(provides(standIn, { file: '', of: 'globalShortcut', member: '' })).toBe(false);
    expect(provides(standIn, { file: '', of: 'app', member: 'noSuchThing' })).toBe(false);
    expect(provides(standIn, { file: '', of: 'BrowserWindow#', member: 'noSuchThing' })).toBe(false);
    expect(provides(standIn, { file: '', of: 'BrowserWindow#', member: 'loadURL' })).toBe(true);
  });
});
