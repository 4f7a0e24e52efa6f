import { useCallback, useEffect, useMemo, useRef, useState, type FocusEvent, type PointerEvent } from 'react';
import { holdOrder } from '../stores/held-order.ts';

const HOLD_MS = 10_000;

interface Held {
  /** What was asked for when the hold began; another question ends it. */
  readonly question: string;
  readonly keys: readonly string[];
}

/**
 * Keeps the order of the list for ten seconds after every move of the pointer or the focus in it. `question` is what
 * the operator asked for (filter and sorting): a new one is answered at once.
 */
export function useHeldOrder(fresh: readonly string[], question: string, exists: (key: string) => boolean) {
  const [held, setHeld] = useState<Held | null>(null);
  const timer = useRef(0);
  const valid = held !== null && held.question === question ? held : null;
  const order = useMemo(
    () => (valid === null ? { keys: fresh, changes: 0 } : holdOrder(valid.keys, fresh, exists)),
    [valid, fresh, exists],
  );

  const apply = useCallback(() => {
    window.clearTimeout(timer.current);
    setHeld(null);
  }, []);
  const touch = () => {
    if (valid === null) setHeld({ question, keys: order.keys });
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(apply, HOLD_MS);
  };
  useEffect(() => () => window.clearTimeout(timer.current), []);

  return {
    ...order,
    apply,
    listeners: {
      onPointerMove: touch,
      onFocus: touch,
      onKeyDown: touch,
      onPointerLeave: (event: PointerEvent) => {
        if (!event.currentTarget.contains(document.activeElement)) apply();
      },
      onBlur: (event: FocusEvent) => {
        const { currentTarget, relatedTarget } = event;
        if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
        if (!currentTarget.matches(':hover')) apply();
      },
    },
  };
}

export type HeldListeners = ReturnType<typeof useHeldOrder>['listeners'];
