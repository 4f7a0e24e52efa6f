import { join } from 'node:path';
import type { WorkerHost } from '../../core/model/ports.ts';
import { utilityWorkerHost } from '../../electron/main/utility-worker-host.ts';
import { app } from '../standin/main/app.ts';
import { utilityProcess } from '../standin/main/utility-process.ts';
import { REPOSITORY } from './fixtures.ts';

/** Electron's workers as the stand-in runs them, without a window: what the console builds, unbuilt. */
export function utilityHost(): WorkerHost {
  if (!app.isReady()) app.becomeReady();
  return utilityWorkerHost(
    (path, args, options) => utilityProcess.fork(path, args, options),
    join(REPOSITORY, 'electron/worker/worker.ts'),
  );
}
