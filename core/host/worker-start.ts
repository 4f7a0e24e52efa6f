import { AppError, codeOf, messageOf, RetryableError } from '../model/errors.ts';
import type { CallOff, WorkerExit, WorkerLimits, WorkerSpec } from '../model/ports.ts';

export const DEFAULT_LIMITS: WorkerLimits = {
  memoryMb: null,
  startDeadlineMs: 30_000,
  stopDeadlineMs: 5_000,
};

const SAID_CHARACTERS = 4_096;

export interface StartingWorker {
  readonly spec: WorkerSpec;
  readonly ready: Promise<'ready'>;
  readonly exited: Promise<WorkerExit>;
  readonly callOff: CallOff;
  readonly kill: (why: string) => void;
  readonly patienceMs: number;
  /** Why the system started none; null when it did. */
  readonly refusal: () => unknown;
}

/**
 * Resolves when a worker is ready; otherwise ends it and waits until it is gone.
 * @throws `worker.spawn-failed`, `worker.start-failed`, `worker.start-timeout`, `worker.called-off`
 */
export async function readyWorker({
  spec,
  ready,
  exited,
  callOff,
  kill,
  patienceMs,
  refusal,
}: StartingWorker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), patienceMs);
  });
  const off = new Promise<'called-off'>((resolve) => {
    if (callOff.aborted) resolve('called-off');
    callOff.addEventListener('abort', () => resolve('called-off'));
  });
  const first = await Promise.race([ready, exited, late, off]);
  clearTimeout(timer);
  if (first === 'ready') return;
  if (first === 'late') kill(`was ended: it had not loaded its module after ${patienceMs / 1_000} s`);
  if (first === 'called-off') kill('was ended before it was ready');
  const exit = await exited;
  if (first === 'late') throw startTimeout(spec, patienceMs);
  if (first === 'called-off') throw calledOff(spec);
  const refused = refusal();
  throw refused === null ? startFailed(spec, exit) : spawnFailed(spec, refused);
}

export function calledOff({ process }: WorkerSpec): AppError {
  return new AppError('worker.called-off', `The worker of ${process} was ended before it was ready.`, {
    process,
  });
}

function startTimeout({ process, entrypoint }: WorkerSpec, patienceMs: number): AppError {
  return new AppError(
    'worker.start-timeout',
    `The worker of ${process} did not load ${entrypoint} within ${patienceMs / 1000} s and was ended. Look for work that the module does at import.`,
    { process },
  );
}

function startFailed({ process }: WorkerSpec, { code, lastOutput, why }: WorkerExit): AppError {
  const said = lastOutput.trim().slice(-SAID_CHARACTERS);
  const how = `The worker of ${process} ended before it was ready: ${why}.`;
  return new AppError('worker.start-failed', said === '' || code !== 1 ? how : said, { process });
}

/** What the system says when it starts no process, and what helps. */
const HELP: ReadonlyMap<string, { readonly help: string; readonly mayPass: boolean }> = new Map([
  ['ENOENT', { help: 'The program is not there. Install Holdfast again.', mayPass: false }],
  ['EACCES', { help: 'The program may not be run. Look at its permissions.', mayPass: false }],
  [
    'EMFILE',
    {
      help: 'The host has too many files open. Run fewer processes at once, or raise the limit of open files (ulimit -n).',
      mayPass: true,
    },
  ],
  ['ENFILE', { help: 'The machine has too many files open. Close other programs.', mayPass: true }],
  [
    'EAGAIN',
    {
      help: 'The machine has too many processes. End some, or raise the limit of processes (ulimit -u).',
      mayPass: true,
    },
  ],
  [
    'ENOMEM',
    { help: 'The machine has no memory left. Close other programs, or run fewer processes.', mayPass: true },
  ],
]);

/** The system started no process at all. */
export function spawnFailed({ process }: WorkerSpec, cause: unknown): AppError {
  const code = codeOf(cause);
  const known = HELP.get(code);
  const text = `No worker could be started for ${process}: ${messageOf(cause)}. ${known?.help ?? 'Look at what the system says of it, then start the process again.'}`;
  const errno = (cause as NodeJS.ErrnoException).errno ?? null;
  const detail = { process, code, errno };
  return known?.mayPass === true
    ? new RetryableError('worker.spawn-failed', text, detail, { cause })
    : new AppError('worker.spawn-failed', text, detail, { cause });
}
