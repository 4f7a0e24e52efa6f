import { ipcMain } from 'electron';
import type { ConsoleHost } from '../../core/contract/console-host.ts';
import type { Result } from '../../core/contract/define.ts';
import { REQUEST_NAMES, requestChannel } from '../../core/contract/names.ts';
import { messageOf } from '../../core/model/errors.ts';
import { isConsoleFrame } from './sender.ts';

const REFUSED: Result<never> = {
  ok: false,
  error: { code: 'console.not-ours', message: 'Only the console’s own page may ask the host.' },
};

/**
 * Answers every request of the contract, and nothing else. The page may ask before the host has recovered its
 * processes: the answer waits. `heard` is called for each request that was the console's.
 */
export function serveRequests(host: Promise<ConsoleHost>, heard: () => void): void {
  for (const name of REQUEST_NAMES) {
    ipcMain.handle(requestChannel(name), async (event, request: unknown): Promise<Result<unknown>> => {
      if (!isConsoleFrame(event.senderFrame)) return REFUSED;
      heard();
      try {
        return await (await host).handle(name, request);
      } catch (error) {
        // The host itself never rejects: it could not be created, and main is about to say why and to end.
        return { ok: false, error: { code: 'host.not-started', message: messageOf(error) } };
      }
    });
  }
}
