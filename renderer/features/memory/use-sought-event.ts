import { useRef, useState, type RefObject } from 'react';
import { useConsole } from '../../app/console-context.ts';

/** So many pages back; further than that somebody goes by hand. */
const MOST_PAGES = 20;

export interface SoughtEvent {
  /** Resolves when it was found, or given up. */
  readonly seek: (eventId: string) => Promise<void>;
  /** Said above the timeline while it is looked for, or where it is not found. */
  readonly said: string | null;
}

/** Leads to the newest entry of an event in the timeline inside of `room`, reading older ones as far as that takes. */
export function useSoughtEvent(room: RefObject<HTMLElement | null>): SoughtEvent {
  const { process } = useConsole();
  const [said, setSaid] = useState<string | null>(null);
  /** Numbers the searches: a later one is the one that counts. */
  const search = useRef(0);
  const seek = async (eventId: string): Promise<void> => {
    const mine = (search.current += 1);
    setSaid('Looking for that invocation…');
    for (let pages = 0; ; pages += 1) {
      await drawn();
      if (mine !== search.current || room.current === null) return;
      const entries = room.current.querySelectorAll<HTMLElement>('[data-event]');
      const found = [...entries].find((entry) => entry.dataset['event'] === eventId);
      if (found !== undefined) {
        setSaid(null);
        found.scrollIntoView({ block: 'center' });
        found.querySelector('button')?.focus({ preventScroll: true });
        return;
      }
      if (process.store.getState().timeline.before === null || pages >= MOST_PAGES) break;
      await process.readOlder();
    }
    setSaid('That invocation is not among the entries that are shown. Older ones may have it.');
  };
  return { seek, said };
}

/** What was read is on the page by then. */
function drawn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
