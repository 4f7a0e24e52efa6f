import { onTestFinished } from 'vitest';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import type { LiveWorkspace } from '../../core/host/live-workspace.ts';
import { openLiveWorkspace } from '../../core/host/open-workspace.ts';
import { endAtOnce } from './runtime.ts';

export interface OpenedLive {
  readonly live: LiveWorkspace;
  /** Once, however often it is asked for. */
  readonly close: () => Promise<void>;
  readonly isOpen: () => boolean;
}

/** A workspace that is run, with workers as child processes; it is closed with the test. What fails behind the scenes is thrown. */
export async function openLive(workspace: string): Promise<OpenedLive> {
  const live = await openLiveWorkspace({
    workspace,
    workerHost: childProcessWorkerHost(),
    knownJournals: null,
    onChange: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await live.close();
    isOpen = false;
  };
  onTestFinished(async () => {
    // As in test/support/runtime.ts.
    const workers = isOpen ? [...live.runtime.processes.values()].map((process) => process.live.worker) : [];
    const over = close();
    workers.forEach(endAtOnce);
    await over;
  });
  return { live, close, isOpen: () => isOpen };
}
