// What a contender of `effects` and `resume` can do, and how one is killed.

import { heldBy, settle, type Order } from './steps.ts';

export interface StepRunner extends AsyncDisposable {
  /** Carries out these orders, all begun at once; gives the seconds that it took. */
  readonly run: (orders: readonly Order[]) => Promise<number>;
  /** Carries out an order in whose held step it is killed, and goes on with it. */
  readonly resume: (order: Order) => Promise<Resumed>;
}

/** When a new process that performs steps was started and could take work, in nanoseconds of the shared clock. */
export interface Started {
  readonly startedAt: bigint;
  readonly readyAt: bigint;
}

/** In milliseconds. */
export interface Resumed {
  /** From the start of the new process until it can take work. */
  readonly start: number;
  /** From then until the step that was held is performed again, behind all that are on record. */
  readonly resume: number;
  /** From the kill until then: with noticing it, waiting before the start, and the start. */
  readonly total: number;
  /** Steps that were performed a second time. */
  readonly repeated: number;
}

export interface Killable {
  readonly who: string;
  /** What was asked for; it may end with who is killed, and no earlier. */
  readonly begun: Promise<unknown>;
  /** Resolves when there is a new process in place of the one that was killed. */
  readonly restarted: () => Promise<Started>;
  /** Resolves when all steps of the order are performed and on record. */
  readonly ended: () => Promise<unknown>;
}

/** Kills what performs the step that is held, as an accident would, and looks at what comes of it. */
export async function killAndResume(
  order: Order,
  { who, begun, restarted, ended }: Killable,
): Promise<Resumed> {
  const early = begun.then(() => {
    throw new Error(`${who} ended without coming to step ${order.holdIn}.`);
  });
  const pid = await Promise.race([heldBy(order), early]);
  const killedAt = process.hrtime.bigint();
  process.kill(pid, 'SIGKILL');
  const { startedAt, readyAt } = await restarted();
  await ended();
  const { performed, repeated } = settle(order, who);
  const live = performed.find((performance) => performance.pid !== pid);
  if (live === undefined || live.step !== order.holdIn) {
    throw new Error(`${who} went on with step ${live?.step} instead of ${order.holdIn}.`);
  }
  return {
    start: milliseconds(startedAt, readyAt),
    resume: milliseconds(readyAt, live.at),
    total: milliseconds(killedAt, live.at),
    repeated,
  };
}

function milliseconds(from: bigint, to: bigint): number {
  return Number(to - from) / 1e6;
}
