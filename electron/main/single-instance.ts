import { app } from 'electron';
import { parseHandover, type StartArguments } from './open-requests.ts';

/**
 * One console per user. True: this is it, and `asked` is called whenever another one was started, with what that was
 * asked for. False: another one is running and was told; this one has to end.
 */
export function claimSingleInstance(start: StartArguments, asked: (other: StartArguments) => void): boolean {
  // Chromium adds to and reorders the other's command line, so what it asks for comes as data of our own.
  if (!app.requestSingleInstanceLock({ workspace: start.workspace, open: start.open })) return false;
  app.on('second-instance', (_event, _argv, _cwd, data) => asked(parseHandover(data)));
  return true;
}
