import { join, resolve } from 'node:path';

// Where the parts of the build and the files beside it lie. This module is bundled into dist/main/main.js, so the build
// is one directory up, whether in the source tree or in the archive.

const BUILD = resolve(import.meta.dirname, '..');

export const PRELOAD = join(BUILD, 'preload/preload.cjs');
export const RENDERER = join(BUILD, 'renderer');
export const WORKER = join(BUILD, 'worker/worker.js');
export const WINDOW_ICON = join(BUILD, 'icons/app/256x256.png');

/** The tray's pictures: beside the archive once packaged, for the desktop reads them by path. */
export function trayDirectory(packaged: boolean): string {
  return packaged ? join(process.resourcesPath, 'tray') : join(BUILD, 'tray');
}

/** The demo workspace as it was shipped. It is never run in place. */
export function demoSource(packaged: boolean): string {
  return packaged ? join(process.resourcesPath, 'demo') : resolve(BUILD, '../resources/demo');
}
