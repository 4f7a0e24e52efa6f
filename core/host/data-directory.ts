import { mkdirSync } from 'node:fs';
import envPaths from 'env-paths';

/** The user's data folder, made where it is missing: `$HOLDFAST_DATA`, or where this system keeps such things. */
export function dataDirectory(): string {
  const directory = process.env['HOLDFAST_DATA'] || envPaths('holdfast', { suffix: '' }).data;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}
