import { app } from 'electron';
import { parseHandover, type Handover } from './open-requests.ts';

/**
 * One console per user. True: this is it, and `opened` is called whenever another one was started, with what that was
 * asked to open. False: another one is running and was told; this one has to end.
 */
export function claimSingleInstance(handover: Handover, opened: (paths: readonly string[]) => void): boolean {
  // Chromium adds to and reorders the other's command line, so what it asks for comes as data of our own.
  if (!app.requestSingleInstanceLock({ open: handover.open })) return false;
  app.on('second-instance', (_event, _argv, _cwd, data) => opened(parseHandover(data)));
  return true;
}
