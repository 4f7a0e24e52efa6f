import type { Result } from './define.ts';
import type { EventName, EventOf } from './events.ts';
import type { FleetView } from './fleet-views.ts';

export type ConsoleEvent = {
  readonly [N in EventName]: { readonly name: N; readonly payload: EventOf<N> };
}[EventName];

/** What stands behind every console, whichever shell shows it: Electron's main, the stand-in, the terminal. */
export interface ConsoleHost {
  /** Checks the request against the contract, acts, and answers; never rejects. */
  handle(name: string, request: unknown): Promise<Result<unknown>>;
  /** Everything that the host says unasked. The result unsubscribes. */
  subscribe(listener: (event: ConsoleEvent) => void): () => void;
  /** The fleet as it is now, for the tray and for notifications. */
  fleet(): FleetView;
  /** While nobody looks, changes come once a second at most. */
  setVisible(visible: boolean): void;
  /** Names of processes with an invocation under way, which quitting would interrupt. */
  busy(): readonly string[];
  /** Holds every running process with `quit`, which lifts at the next start, and leaves nothing unwritten. */
  close(): Promise<void>;
}
