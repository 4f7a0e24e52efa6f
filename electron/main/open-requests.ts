import { basename, dirname, isAbsolute, resolve } from 'node:path';

// What the operating system or another instance asks us to open. All of it is untrusted: here it becomes absolute
// paths, and the host decides whether there is a journal at them. Opening starts nothing [P6].

/** The file that makes a directory a journal, and that a person double-clicks. */
const MARKER = 'journal.holdfast';
const MOST_PATHS = 32;
const LONGEST_PATH = 4096;

export interface StartArguments {
  /** Absolute path of the workspace to run; null: none was named. */
  readonly workspace: string | null;
  /** Absolute paths of what to open and look at. */
  readonly open: readonly string[];
}

export interface CommandLine {
  /** As the system gave it, the executable first. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The application's own directory, which stands on the command line unless it is packaged. */
  readonly appPath: string;
}

/** `[--workspace DIR] [PATH…]`, among the switches that Chromium, Node and a debugger have there. */
export function parseCommandLine({ argv, cwd, appPath }: CommandLine): StartArguments {
  let workspace: string | null = null;
  const open: string[] = [];
  const rest = argv.slice(1);
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '--workspace') workspace = absolute(rest.shift(), cwd) ?? workspace;
    else if (word.startsWith('--workspace=')) {
      workspace = absolute(word.slice('--workspace='.length), cwd) ?? workspace;
    } else if (word === '-r' || word === '--require') rest.shift();
    else if (!word.startsWith('-') && !isAddress(word)) {
      const path = absolute(word, cwd);
      if (path !== null && path !== appPath) open.push(path);
    }
  }
  return { workspace, open: journalsOf(open) };
}

/** What a second instance hands over: its arguments, whose paths it has made absolute where it was started. */
export function parseHandover(data: unknown): StartArguments {
  if (typeof data !== 'object' || data === null) return { workspace: null, open: [] };
  const open: readonly unknown[] = 'open' in data && Array.isArray(data.open) ? data.open : [];
  return {
    workspace: 'workspace' in data ? handedPath(data.workspace) : null,
    open: journalsOf(open.flatMap((path) => handedPath(path) ?? [])),
  };
}

function handedPath(path: unknown): string | null {
  return typeof path === 'string' && isAbsolute(path) ? absolute(path, '/') : null;
}

/** What the system asks to open by an event. */
export function parseOpenFile(path: string): readonly string[] {
  return isAbsolute(path) ? journalsOf([path].flatMap((each) => absolute(each, '/') ?? [])) : [];
}

/** The journal's directory: a marker stands for the directory that it lies in. */
export function journalAt(path: string): string {
  return basename(path) === MARKER ? dirname(path) : path;
}

function journalsOf(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(journalAt))].slice(0, MOST_PATHS);
}

function absolute(text: string | undefined, cwd: string): string | null {
  if (text === undefined || text === '' || text.length > LONGEST_PATH || text.includes('\0')) return null;
  return resolve(cwd, text);
}

/** `scheme://…`, which some desktops pass in place of a path. A drive letter is no scheme. */
function isAddress(word: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(word);
}
