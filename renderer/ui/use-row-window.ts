import { useCallback, useSyncExternalStore, type RefObject } from 'react';

/** Pixels of a list that are in sight, or nearly, counted from its beginning. */
export interface RowWindow {
  readonly from: number;
  readonly to: number;
}

/** Drawn beyond what is seen, and the step in which the window moves: scrolling renders again only now and then. */
const STEP = 400;

/** The part of a long list to draw. It follows whatever room the list scrolls in. */
export function useRowWindow(list: RefObject<HTMLElement | null>): RowWindow {
  const subscribe = useCallback(
    (listener: () => void) => {
      const rooms = roomsOf(list.current);
      for (const room of rooms) room.addEventListener('scroll', listener, { passive: true });
      globalThis.addEventListener('resize', listener);
      return () => {
        for (const room of rooms) room.removeEventListener('scroll', listener);
        globalThis.removeEventListener('resize', listener);
      };
    },
    [list],
  );
  // In whole steps, so that what is the same reads the same.
  const steps = useSyncExternalStore(subscribe, () => stepsOf(list.current));
  const [from = 0, to = 0] = steps.split(' ').map((step) => Number(step) * STEP);
  return { from, to };
}

/** Which of the two scrolls depends on the room there is. */
function roomsOf(element: HTMLElement | null): readonly HTMLElement[] {
  if (element === null) return [];
  return ['.hf-process-main', 'main'].flatMap((room) => element.closest<HTMLElement>(room) ?? []);
}

function stepsOf(element: HTMLElement | null): string {
  if (element === null) return '0 2';
  const { top } = element.getBoundingClientRect();
  const boxes = roomsOf(element)
    .map((room) => room.getBoundingClientRect())
    .filter(({ height }) => height > 0);
  const first = Math.max(0, ...boxes.map((box) => box.top));
  const last = Math.min(globalThis.innerHeight, ...boxes.map((box) => box.bottom));
  return `${Math.max(0, Math.floor((first - top) / STEP) - 1)} ${Math.max(0, Math.ceil((last - top) / STEP) + 1)}`;
}
