// What has to hold in every state, whatever happened before it.

import type { Violation } from './journal.ts';
import { Machine, type Model } from './machine.ts';
import type { Action } from './action.ts';
import { headOf, type Scenario, type State } from './state.ts';

/** P1: a crash can come at any moment, so whatever somebody was told is already where no crash reaches it. */
function acknowledged({ durability }: Scenario, { journal, told }: State): readonly Violation[] {
  const { facts } = journal.kept;
  const lost: string[] = [];
  for (const eventId of told.accepted) {
    if (facts.events[eventId] === undefined)
      lost.push(`the source of ${eventId} was told that it is accepted`);
  }
  for (const [waitId, status] of Object.entries(told.settled)) {
    const kept = facts.waits[waitId]?.end ?? facts.settled[waitId];
    if (kept !== status) lost.push(`a settler was told that ${waitId} is ${status}`);
  }
  for (const messageId of told.notes) {
    if (facts.inbox[messageId] === undefined)
      lost.push(`an operator was told that ${messageId} will be read`);
  }
  // Of these a journal promises as much as it is set to.
  if (durability !== 'always') return lost.map(forgotten);
  if (told.resolved > facts.resolved) lost.push('an operator was told that an effect is decided');
  if (told.redelivered > facts.redelivered)
    lost.push('an operator was told that a dead letter is redelivered');
  return lost.map(forgotten);
}

function forgotten(what: string): Violation {
  return { promise: 'P1', what: `${what}, and the journal may forget it` };
}

/** P2: what was sent is heard once by the other process, in its order. */
function heard({ journal, receiver }: State): readonly Violation[] {
  const violations: Violation[] = [];
  const there = headOf(receiver);
  const twice = there.facts.heard.find((said, at, all) => all.indexOf(said) < at);
  if (twice !== undefined) violations.push({ promise: 'P2', what: `${twice} is heard twice` });
  const { sent, arrived } = journal.kept.facts;
  for (const number of arrived) {
    const said = sent[number - 1];
    if (said !== undefined && !receiver.kept.facts.heard.includes(said))
      violations.push({ promise: 'P2', what: `${said} counts as delivered and was never heard` });
  }
  return violations;
}

/** P4: what was accepted comes to its end, as long as accidents cease and people do what they are asked for. */
function stuck(model: Model, state: State, actions: readonly Action[]): readonly Violation[] {
  if (state.host === null || actions.some(({ isProgress }) => isProgress)) return [];
  const { facts } = new Machine(model, state).head;
  const waiting = Object.entries(facts.events).filter(([, { at }]) => at === 'queued' || at === 'open');
  if (waiting.length === 0) return [];
  const isForSomebody = Object.values(facts.waits).some(
    ({ kind, end }) => kind === 'promise' && end === null,
  );
  // Only the number of ticks that are left is in the way.
  const isForLater =
    Object.values(facts.waits).some(
      ({ due, end }) => due !== null && end === null && isLater(model, state, due),
    ) ||
    waiting.some(([, { retryAt }]) => retryAt !== null && isLater(model, state, retryAt)) ||
    state.host.worker?.runs.some(({ ops }) => ops.some(({ is }) => is === 'to ask about')) === true;
  if (isForSomebody || isForLater) return [];
  return [
    {
      promise: 'P4',
      what: `nothing goes on, and ${waiting.map(([id, { at }]) => `${id} is ${at}`).join(', ')}`,
    },
  ];
}

function isLater(model: Model, state: State, stamp: string): boolean {
  return Date.parse(stamp) > new Machine(model, state).nowMs;
}

/** P3: behind the entry of a rewind the state is where it led to, and nothing goes on from where it was. */
function halfMoved({ host, journal }: State): readonly Violation[] {
  if (host === null || headOf(journal).snapshot.rewinding === null) return [];
  return [{ promise: 'P3', what: 'a rewind is on record, and the process was not moved' }];
}

export function broken(model: Model, state: State, actions: readonly Action[]): readonly Violation[] {
  return [
    ...acknowledged(model.scenario, state),
    ...heard(state),
    ...halfMoved(state),
    ...stuck(model, state, actions),
  ];
}
