import type { ConsoleEvent } from '../../core/contract/console-host.ts';

/** What was said to a page that has not asked for anything yet. More than this is noise by the time it reads it. */
const MOST_HELD = 20;

export interface PageChannel {
  /** Sends the event to the page, keeps it until there is one, or drops it where the page will read the whole anyway. */
  deliver(event: ConsoleEvent): void;
  /** The page has asked for something, so it listens. */
  opened(): void;
  /** The page is gone or loads anew. */
  lost(): void;
}

/**
 * The host's side of one page. Changes to what the page shows are dropped while no page listens, since a page begins by
 * reading all of it; what happens only once (go there, read this) waits.
 */
export function createPageChannel(send: (event: ConsoleEvent) => void): PageChannel {
  let listening = false;
  let held: ConsoleEvent[] = [];
  return {
    deliver(event) {
      if (listening) send(event);
      else if (event.name === 'console.show' || event.name === 'console.notice') {
        held = [...held, event].slice(-MOST_HELD);
      }
    },
    opened() {
      if (listening) return;
      listening = true;
      const waiting = held;
      held = [];
      waiting.forEach(send);
    },
    lost() {
      listening = false;
    },
  };
}
