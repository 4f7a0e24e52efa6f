// A hundred programs that start at once on two cores are all late, the first as late as the last. Started a few at a time,
// the first is at work while the others start, and none runs into its deadline for having waited.

import type { CallOff, WorkerHost, WorkerSpec } from '../model/ports.ts';
import { calledOff } from './worker-start.ts';

/** One that is not ready after so long keeps nobody waiting any more. */
const PLACE_MS = 2_000;

/** The same workers, at most so many of them starting at once, in the order of asking. */
export function fewStarts(host: WorkerHost, most: number, placeMs = PLACE_MS): WorkerHost {
  const places = new Places(most);
  return {
    reap: (worker) => host.reap(worker),
    spawn: async (spec, callOff, output, secrecy) => {
      const leave = await places.take(spec, callOff);
      const timer = setTimeout(leave, placeMs);
      try {
        return await host.spawn(spec, callOff, output, secrecy);
      } finally {
        clearTimeout(timer);
        leave();
      }
    },
  };
}

class Places {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Resolves, when it is its turn, with what gives the place up.
   * @throws `worker.called-off`
   */
  async take(spec: WorkerSpec, callOff: CallOff): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(spec, callOff);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  #turn(spec: WorkerSpec, callOff: CallOff): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveLine = (): void => {
        const at = this.#line.indexOf(begin);
        if (at < 0) return;
        this.#line.splice(at, 1);
        reject(calledOff(spec));
      };
      const begin = (): void => resolve();
      this.#line.push(begin);
      callOff.addEventListener('abort', leaveLine);
      if (callOff.aborted) leaveLine();
    });
  }
}
