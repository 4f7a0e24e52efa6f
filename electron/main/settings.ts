import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../../core/model/errors.ts';

/** What the shell itself remembers. None of it is about a journal. */
export interface ShellSettings {
  readonly hideOnClose: boolean;
  /** Whether the operator was told that closing only hides. */
  readonly hideExplained: boolean;
  /** Where the open dialog was last; null: nowhere yet. */
  readonly lastDirectory: string | null;
}

const DEFAULTS: ShellSettings = { hideOnClose: true, hideExplained: false, lastDirectory: null };

/** The settings in a file's text; what is missing or of the wrong kind is as if never set. */
export function parseSettings(text: string): ShellSettings {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return DEFAULTS;
  }
  if (typeof found !== 'object' || found === null) return DEFAULTS;
  const { hideOnClose, hideExplained, lastDirectory } = found as Record<string, unknown>;
  return {
    hideOnClose: typeof hideOnClose === 'boolean' ? hideOnClose : DEFAULTS.hideOnClose,
    hideExplained: typeof hideExplained === 'boolean' ? hideExplained : DEFAULTS.hideExplained,
    lastDirectory: typeof lastDirectory === 'string' ? lastDirectory : DEFAULTS.lastDirectory,
  };
}

export interface SettingsFile {
  get(): ShellSettings;
  update(change: Partial<ShellSettings>): void;
}

export function openSettings(path: string): SettingsFile {
  let settings = DEFAULTS;
  try {
    settings = parseSettings(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') complain('read', path, error);
  }
  return {
    get: () => settings,
    update(change) {
      settings = { ...settings, ...change };
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch (error) {
        complain('written', path, error);
      }
    },
  };
}

/** A setting that is not kept is a nuisance and no reason to stop. */
function complain(done: string, path: string, error: unknown): void {
  process.stderr.write(`The settings in ${path} could not be ${done}: ${messageOf(error)}\n`);
}
