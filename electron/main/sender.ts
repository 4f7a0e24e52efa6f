import { CONSOLE_ORIGIN } from './console-url.ts';

/** As much of a frame as it takes to know whether it is ours. */
export interface Frame {
  readonly parent: unknown;
  readonly origin: string;
}

/** Whether a message comes from the console's own page: its main frame, at its own origin. A frame that is gone is not. */
export function isConsoleFrame(frame: Frame | null): boolean {
  return frame !== null && frame.parent === null && frame.origin === CONSOLE_ORIGIN;
}
