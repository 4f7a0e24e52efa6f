// Going back, by the plain reading [S39]: what a journal says behind a rewind, from what it said at the target and right before
// it. It shares no code with the one that the product moves its state by.

import type { EventFacts, Facts } from './facts.ts';

/** What the journal said of an event when it was last under way; null where it never was. */
export interface Past {
  (eventId: string): Facts | null;
}

export function rewoundFacts(now: Facts, then: Facts, pastOf: Past): Facts {
  const events: Record<string, EventFacts> = {};
  const effects: Record<string, Facts['effects'][string]> = {};
  const waits: Record<string, Facts['waits'][string]> = {};
  for (const [id, event] of Object.entries(now.events)) {
    const before = then.events[id];
    if (before?.at === 'over') {
      // Also one that an earlier rewind had taken up again stays over.
      events[id] = { ...event, at: 'over', retryAt: null, ends: before.ends };
      continue;
    }
    const past = event.at === 'over' || event.at === 'dead' ? pastOf(id) : now;
    const isAgain = event.at !== 'queued' && past !== null && !isStillDead(event, before);
    events[id] = isAgain ? again(event, before) : event;
    const of = isAgain ? past : now;
    const isOf = ([, { eventId }]: readonly [string, { readonly eventId: string }]): boolean =>
      eventId === id;
    Object.assign(effects, Object.fromEntries(Object.entries(of.effects).filter(isOf)));
    for (const [waitId, wait] of Object.entries(of.waits).filter(isOf)) {
      // What has not ended and was begun since is begun anew, if its code asks for it.
      if (!isAgain || wait.end !== null || then.waits[waitId] !== undefined) waits[waitId] = wait;
    }
  }
  return { ...now, events, effects, waits, failuresInRow: then.failuresInRow };
}

/** Given up by then, and not taken up since. */
function isStillDead(now: EventFacts, then: EventFacts | undefined): boolean {
  return then?.at === 'dead' && now.at === 'dead' && now.attempt === then.attempt;
}

/** As another attempt. What began since begins anew with that, and says so once more. */
function again({ attempt }: EventFacts, then: EventFacts | undefined): EventFacts {
  const isToBegin = then === undefined || then.at === 'queued' || then.isToBegin === true;
  return {
    at: 'open',
    attempt: attempt + 1,
    retryAt: null,
    ends: 0,
    ...(isToBegin ? { isToBegin } : {}),
  };
}
