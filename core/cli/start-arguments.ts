import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../model/errors.ts';
import { EXIT } from './exit-codes.ts';

export interface StartArguments {
  readonly workspace: string | null;
  readonly journals: readonly string[];
}

export type AskedStart =
  | ({ readonly kind: 'start' } & StartArguments)
  /** Nothing is started: this is said instead. */
  | { readonly kind: 'answer'; readonly text: string; readonly exitCode: number };

const USAGE = `Usage: npm start [-- [--workspace DIR] [JOURNAL…]]

Without anything the console runs the demo workspace.
  --workspace DIR   run this workspace
  JOURNAL           look at this journal, which starts nothing
  --help            say this

HOLDFAST_HOST=electron|standin|terminal chooses the shell, HOLDFAST_DATA=DIR the folder for what it keeps.`;

/** What `npm start` was asked for. Paths are meant as seen from the absolute path `from`. */
export function readStartArguments(args: readonly string[], from: string): AskedStart {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { workspace: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values.help === true) return { kind: 'answer', text: USAGE, exitCode: EXIT.ok };
    return {
      kind: 'start',
      workspace: values.workspace === undefined ? null : resolve(from, values.workspace),
      journals: positionals.map((path) => resolve(from, path)),
    };
  } catch (error) {
    // Its further sentences are about the syntax of command lines in general.
    const [first = ''] = messageOf(error).split(/\.\s|\.$|\n/);
    return {
      kind: 'answer',
      text: `${first}. "npm start -- --help" says what there is.`,
      exitCode: EXIT.usage,
    };
  }
}
