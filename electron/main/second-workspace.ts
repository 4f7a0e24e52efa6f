import type { Failure, Result } from '../../core/contract/define.ts';
import type { EventOf } from '../../core/contract/events.ts';
import type { JournalView } from '../../core/contract/fleet-views.ts';

/** What opening a workspace ends with that has not been run yet: there is nothing to look at, and nothing wrong. */
const NOT_RUN_YET: ReadonlySet<string> = new Set([
  'journal.none-here',
  'journal.not-a-journal',
  'journal.empty',
]);

/** What a second launch with a workspace leads to in the console that is there and can't run it as well. */
export interface SecondWorkspace {
  /** Whether its journal, or the failure to open it, is to be shown. */
  readonly shows: boolean;
  /** Null: it is the workspace that runs here, so nothing is amiss. */
  readonly notice: EventOf<'console.notice'> | null;
}

/** `runs`: the workspace that this console runs, if any. `opened`: what opening the other's journal ended with. */
export function secondWorkspace(
  asked: string,
  runs: string | null,
  opened: Result<Pick<JournalView, 'access'>>,
): SecondWorkspace {
  if (asked === runs || (opened.ok && opened.value.access === 'live'))
    return { shows: opened.ok, notice: null };
  const now = runs === null ? 'This console runs no workspace.' : `This console already runs ${runs}.`;
  return {
    shows: opened.ok || !isNotRunYet(opened.error),
    notice: {
      code: 'workspace.one-only',
      message: `${now} To run ${asked}, quit it first, or start with another HOLDFAST_DATA.`,
      tone: 'attention',
    },
  };
}

function isNotRunYet({ code }: Failure): boolean {
  return NOT_RUN_YET.has(code);
}
