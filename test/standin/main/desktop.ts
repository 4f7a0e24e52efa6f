import type { Targets } from '../chromium/targets.ts';

let targets: Targets | undefined;

/** The Chromium in which windows open. */
export function desktop(): Targets {
  if (!targets) throw new Error('Cannot create BrowserWindow before app is ready');
  return targets;
}

export function setDesktop(value: Targets): void {
  targets = value;
}
