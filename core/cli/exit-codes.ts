import { AppError, codeOf } from '../model/errors.ts';

/** What the command's exit says, for scripts. */
export const EXIT = {
  ok: 0,
  /** Something failed that has no number of its own. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** The path, the process or the workspace is not there or is no such thing. */
  notFound: 3,
  /** The journal is damaged where it matters. */
  damaged: 4,
  /** Another process holds the journal. */
  locked: 5,
  /** Nobody runs the journal, so nobody can do that to its processes. */
  notRun: 6,
} as const;

const BY_CODE: Readonly<Record<string, number>> = {
  'journal.locked': EXIT.locked,
  'journal.damaged': EXIT.damaged,
  'journal.lost-tail': EXIT.damaged,
  'verify.damaged': EXIT.damaged,
  'repair.being-written': EXIT.locked,
  'host.unreachable': EXIT.locked,
  'host.none': EXIT.notRun,
  'request.invalid': EXIT.usage,
  'request.not-json': EXIT.usage,
  'process.not-found': EXIT.notFound,
  'promise.not-found': EXIT.notFound,
  'waiting.not-found': EXIT.notFound,
  'waiting.over': EXIT.notFound,
  'approval.bad-arguments': EXIT.usage,
  'approval.bad-decision': EXIT.usage,
  'dead-letter.not-found': EXIT.notFound,
  'trigger.not-found': EXIT.notFound,
  'trigger.unusable': EXIT.notFound,
  'rewind.no-entry': EXIT.notFound,
  'budget.no-limit': EXIT.notFound,
  'mission.none': EXIT.notFound,
  'health.nothing-found': EXIT.notFound,
  'memory.not-found': EXIT.notFound,
  'memory.not-configured': EXIT.notFound,
  'memory.none': EXIT.notFound,
  'memory.damaged': EXIT.damaged,
  'reload.no-change': EXIT.notFound,
  'manifest.none': EXIT.notFound,
  'workspace.empty': EXIT.notFound,
  'workspace.not-run-yet': EXIT.notFound,
  'workspace.unreadable': EXIT.notFound,
};

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof AppError)) return EXIT.failed;
  const code = codeOf(error);
  return (
    BY_CODE[code] ??
    (/^journal\.(not|empty|none|unreadable|bad-marker)/.test(code) ? EXIT.notFound : EXIT.failed)
  );
}
