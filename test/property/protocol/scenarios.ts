// The programs, each with what may go wrong while it runs.

import { DEFAULT_DELIVERY, type DeliveryPolicy } from '../../../core/model/delivery.ts';
import { TICK_MS } from './journal.ts';
import { effect, failsOnce, inTurn, promise, race, send, timer, type Program } from './programs.ts';
import type { Left, Scenario } from './state.ts';

const LEFT: Left = {
  events: 1,
  workerDeaths: 1,
  hostDeaths: 1,
  mishaps: 1,
  suspensions: 0,
  ticks: 0,
  checkpoints: 0,
  notes: 0,
  settlements: 0,
  takeOvers: 0,
  rewinds: 0,
};
/** Further than anything can go on with what may go wrong. */
const TO_THE_END = 100;
const ONCE_MORE: DeliveryPolicy = {
  ...DEFAULT_DELIVERY,
  maxRetries: 1,
  retryBackoffMs: TICK_MS,
  retryBackoffMaxMs: TICK_MS,
};

function scenario(
  name: string,
  program: Program,
  left: Partial<Left> = {},
  more: Partial<Omit<Scenario, 'name' | 'program' | 'left'>> = {},
): Scenario {
  return {
    name,
    program,
    left: { ...LEFT, ...left },
    durability: 'always',
    delivery: DEFAULT_DELIVERY,
    concurrency: 1,
    deeper: 0,
    ...more,
  };
}

export const ask = scenario('an ask', inTurn([effect('a', 'ask', { attempts: 2 })]), {
  suspensions: 1,
  checkpoints: 1,
});
export const asks = scenario('an ask, and another host', inTurn([effect('a', 'ask')], [effect('b', 'ask')]), {
  takeOvers: 1,
});
export const idempotent = scenario(
  'an idempotent that is tried twice',
  inTurn([effect('i', 'idempotent', { attempts: 2 })]),
  { ticks: 3, suspensions: 1 },
  { delivery: ONCE_MORE },
);
export const faltering = scenario(
  'an idempotent that falters',
  inTurn([effect('i', 'idempotent', { attempts: 2 })]),
  { mishaps: 2, ticks: 3, hostDeaths: 0 },
  { delivery: ONCE_MORE, deeper: TO_THE_END },
);
export const reconcile = scenario(
  'a reconcile',
  inTurn([effect('r', 'reconcile', { attempts: 2 })]),
  { mishaps: 2, ticks: 2 },
  { deeper: 2 },
);
export const retry = scenario(
  'a retry and an ask',
  inTurn([effect('t', 'retry', { attempts: 2 })], [effect('a', 'ask')]),
  { hostDeaths: 2 },
  { durability: 'interval' },
);
export const parallel = scenario(
  'side by side',
  race(effect('a', 'ask'), effect('i', 'idempotent'), (name) => effect(`after ${name}`, 'retry')),
);
export const promised = scenario('a promise, then an ask', inTurn([promise('p', 1)], [effect('a', 'ask')]), {
  settlements: 2,
  ticks: 1,
  mishaps: 0,
  workerDeaths: 0,
  suspensions: 1,
});
export const justPromised = scenario(
  'a promise',
  inTurn([promise('p', 1)]),
  { settlements: 2, ticks: 2, mishaps: 0 },
  { durability: 'interval' },
);
export const timed = scenario('a timer, then an ask', inTurn([timer('s', 1)], [effect('a', 'ask')]), {
  ticks: 2,
  suspensions: 1,
});
export const failing = scenario(
  'an attempt that fails once',
  failsOnce([effect('a', 'ask')], [effect('b', 'idempotent')]),
  { ticks: 1, checkpoints: 1 },
  { delivery: ONCE_MORE },
);
export const dead = scenario(
  'a dead letter',
  failsOnce([effect('a', 'ask'), send('m')], [effect('b', 'ask')]),
  { checkpoints: 1 },
);
export const sending = scenario(
  'an ask, then a message',
  inTurn([effect('a', 'ask')], [send('m')]),
  { mishaps: 0, checkpoints: 1 },
  { deeper: TO_THE_END },
);
export const racing = scenario(
  'messages in the order of a race',
  race(effect('t', 'retry'), effect('u', 'retry'), (name, at) => send(`${name} was ${at + 1}`)),
  { hostDeaths: 1, mishaps: 0, workerDeaths: 0 },
  { durability: 'interval', deeper: TO_THE_END },
);
export const talking = scenario(
  'two messages',
  inTurn([send('m')], [effect('a', 'ask')], [send('n')]),
  { mishaps: 0, workerDeaths: 0, checkpoints: 1 },
  { deeper: TO_THE_END },
);
export const two = scenario('two events and a note', inTurn([effect('t', 'retry')]), {
  events: 2,
  notes: 1,
  mishaps: 0,
  suspensions: 1,
  workerDeaths: 0,
});
export const together = scenario(
  'two events at once',
  inTurn([promise('p')], [effect('a', 'ask')]),
  { events: 2, settlements: 1, mishaps: 0 },
  { concurrency: 2 },
);

export const rewound = scenario(
  'an ask and a message, and back',
  inTurn([effect('a', 'ask')], [send('m')]),
  { mishaps: 0, workerDeaths: 0, rewinds: 1 },
  { deeper: TO_THE_END },
);
export const rewoundTwice = scenario(
  'an ask, and back twice',
  inTurn([effect('a', 'ask')]),
  { mishaps: 0, workerDeaths: 0, hostDeaths: 0, rewinds: 2 },
  { deeper: TO_THE_END },
);
export const rewoundWait = scenario(
  'a promise, then an ask, and back',
  inTurn([promise('p')], [effect('a', 'ask')]),
  { mishaps: 1, workerDeaths: 0, hostDeaths: 0, settlements: 1, rewinds: 1 },
  { deeper: 2 },
);
export const rewoundFailure = scenario(
  'an attempt that fails once, and back',
  failsOnce([effect('a', 'ask')], [effect('b', 'idempotent')]),
  { mishaps: 0, workerDeaths: 0, rewinds: 1 },
  { deeper: 3 },
);

export const SCENARIOS: readonly Scenario[] = [
  ask,
  asks,
  idempotent,
  faltering,
  reconcile,
  retry,
  parallel,
  promised,
  justPromised,
  timed,
  failing,
  dead,
  sending,
  talking,
  racing,
  two,
  together,
  rewound,
  rewoundTwice,
  rewoundWait,
  rewoundFailure,
];
