import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Entry {
  readonly appPath: string;
  readonly script: string;
  readonly name: string;
  readonly version: string;
}

interface Manifest {
  readonly main?: string;
  readonly name?: string;
  readonly productName?: string;
  readonly version?: string;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** What to run for an app named on the command line. Throws a sentence for a person if it can't be run. */
export function findEntry(target: string): Entry {
  const path = resolve(target);
  if (!existsSync(path)) throw new Error(`Cannot find the app ${path}.`);
  const isFolder = statSync(path).isDirectory();
  const appPath = isFolder ? path : dirname(path);
  const manifestPath = join(appPath, 'package.json');
  const manifest = existsSync(manifestPath) ? read(manifestPath) : {};
  const script = isFolder ? join(path, manifest.main ?? 'index.js') : path;
  if (!existsSync(script))
    throw new Error(
      `The app ${path} names ${script} as its main script, which is not there. Has it been built?`,
    );
  return {
    appPath,
    script,
    name: manifest.productName ?? manifest.name ?? 'Electron',
    version: manifest.version ?? '0.0.0',
  };
}

/** The version of the npm package `electron` for whose binary this stands in. */
export function installedElectron(): string {
  return read(join(import.meta.dirname, '../../../node_modules/electron/package.json')).version!;
}
