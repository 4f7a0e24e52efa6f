// Patience of a program with itself: time in which it was stopped, or got no turn of the processor, is no time in which it could
// have done anything.

/** What passes between two looks counts for no more than this part of the whole. */
const LOOKS = 30;

export interface Patience {
  /** It begins anew. */
  renew(): void;
  end(): void;
}

/** Calls `act` when this program has had so many milliseconds to get on, and has taken up whatever came to it meanwhile. */
export function afterHaving(ms: number, act: () => void): Patience {
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    if (looks < LOOKS) return;
    clearInterval(timer);
    act();
  }, ms / LOOKS);
  return {
    renew: () => {
      looks = 0;
    },
    end: () => clearInterval(timer),
  };
}
