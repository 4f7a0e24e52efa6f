// What is started for a server, and with which environment. Nothing is inherited: a server gets what the plan names, and of
// the worker's own the path to programs, what Windows needs to start any, and the mark by which it is found when its worker
// is gone [S30].

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { AppError } from '../../model/errors.ts';

/** Begins an argument that names a server which Holdfast brings along. */
const PACKAGE = 'package:';
/** Without these no program starts there. */
const WINDOWS = ['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'];
const MARK = 'HOLDFAST_WORKER';
/** What electron/build.ts puts beside the worker. */
const BUNDLED = new Set(['@modelcontextprotocol/server-filesystem']);

export type ServerCommand =
  | {
      readonly kind: 'process';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'thread';
      readonly file: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

/** Where Holdfast itself runs from: an installed app is one archive, which no other program can read. */
const IS_ARCHIVED = import.meta.dirname.includes('app.asar');

/** @throws `mcp.no-node`, `mcp.no-package` */
export function serverCommand(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  given: Readonly<Record<string, string>>,
  isArchived = IS_ARCHIVED,
): ServerCommand {
  const env = { ...ownEnvironment(), ...given };
  const resolved = args.map((arg) =>
    arg.startsWith(PACKAGE) ? packageServer(arg.slice(PACKAGE.length)) : arg,
  );
  const [program = '', ...rest] = resolved;
  if (command === 'node' && isArchived && args[0]?.startsWith(PACKAGE) === true) {
    return { kind: 'thread', file: program, args: rest, env };
  }
  if (command !== 'node' || isOnPath('node', env['PATH'] ?? '')) {
    return { kind: 'process', command, args: resolved, env };
  }
  // The host's own Node is as good. Electron's is none that is started by itself.
  if (isArchived || process.versions['electron'] !== undefined) throw noNode();
  return { kind: 'process', command: process.execPath, args: resolved, env };
}

function ownEnvironment(): Record<string, string> {
  const names = ['PATH', MARK, ...(process.platform === 'win32' ? WINDOWS : [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function isOnPath(program: string, path: string): boolean {
  const names = process.platform === 'win32' ? [`${program}.exe`] : [program];
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .some((directory) => names.some((name) => isProgram(join(directory, name))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The program of a package among Holdfast's own dependencies, wherever the workspace lies. Where all of Holdfast is bundled
 * it lies beside the worker, under the last part of its name.
 */
function packageServer(name: string): string {
  const bundled = join(import.meta.dirname, `${name.slice(name.lastIndexOf('/') + 1)}.js`);
  if (BUNDLED.has(name) && existsSync(bundled)) return bundled;
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const { bin } = require(manifest) as { readonly bin?: string | Readonly<Record<string, string>> };
    const program = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
    if (program !== undefined) return join(dirname(manifest), program);
  } catch (error) {
    throw noPackage(name, error);
  }
  throw noPackage(name, null);
}

function noPackage(name: string, cause: unknown): AppError {
  return new AppError(
    'mcp.no-package',
    `Holdfast brings no server of tools named ${name} along. Install it yourself, and name its program in the manifest.`,
    { name },
    { cause },
  );
}

function noNode(): AppError {
  return new AppError(
    'mcp.no-node',
    'There is no node on the PATH, and the app brings none that a server could be started with. Install Node.js, or name another command in the manifest.',
  );
}
