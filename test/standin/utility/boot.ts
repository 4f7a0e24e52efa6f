// What a utility process runs first: it makes `process` look as Electron's does there, then runs the app's module.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { mapElectron } from '../start/hooks.ts';
import { installedElectron } from '../start/entry.ts';
import { ParentPort } from './parent-port.ts';

const LIFELINE = 4;

new Worker(new URL('./lifeline.ts', import.meta.url), { workerData: { fd: LIFELINE }, execArgv: [] }).unref();

const [, , modulePath, ...args] = process.argv;
mapElectron(new URL('./electron.ts', import.meta.url).href);
process.execPath = process.env['STANDIN_EXECUTABLE'] ?? process.execPath;
delete process.env['STANDIN_EXECUTABLE'];
process.argv = [process.execPath, resolve(modulePath!), ...args];
Object.defineProperties(process, {
  type: { value: 'utility' },
  parentPort: { value: new ParentPort() },
  versions: { value: { ...process.versions, electron: installedElectron(), standin: '1' } },
});
await import(pathToFileURL(resolve(modulePath!)).href);
