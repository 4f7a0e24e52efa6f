import { AppError } from '../model/errors.ts';
import type { CallOff, WorkerExit, WorkerSpec } from '../model/ports.ts';

export const START_PATIENCE_MS = 30_000;

export interface StartingWorker {
  readonly spec: WorkerSpec;
  readonly ready: Promise<'ready'>;
  readonly exited: Promise<WorkerExit>;
  readonly callOff: CallOff;
  readonly kill: () => void;
  readonly patienceMs: number;
}

/**
 * Resolves when a worker is ready; otherwise ends it and waits until it is gone.
 * @throws `worker.start-failed`, `worker.start-timeout`, `worker.called-off`
 */
export async function readyWorker({
  spec,
  ready,
  exited,
  callOff,
  kill,
  patienceMs,
}: StartingWorker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), patienceMs);
  });
  const calledOff = new Promise<'called-off'>((resolve) => {
    if (callOff.aborted) resolve('called-off');
    callOff.addEventListener('abort', () => resolve('called-off'));
  });
  const first = await Promise.race([ready, exited, late, calledOff]);
  clearTimeout(timer);
  if (first === 'ready') return;
  kill();
  const exit = await exited;
  if (first === 'late') throw startTimeout(spec, patienceMs);
  if (first === 'called-off') {
    throw new AppError('worker.called-off', `The worker of ${spec.process} was ended before it was ready.`, {
      process: spec.process,
    });
  }
  throw startFailed(spec, exit);
}

function startTimeout({ process, entrypoint }: WorkerSpec, patienceMs: number): AppError {
  return new AppError(
    'worker.start-timeout',
    `The worker of ${process} did not load ${entrypoint} within ${patienceMs / 1000} s and was ended. Look for work that the module does at import.`,
    { process },
  );
}

function startFailed({ process }: WorkerSpec, { code, signal, lastOutput }: WorkerExit): AppError {
  const said = lastOutput.trim();
  const how = `The worker of ${process} ended before it was ready (code ${code ?? 'none'}, signal ${signal ?? 'none'}).`;
  return new AppError('worker.start-failed', said === '' ? how : said, { process });
}
