// Everything that can happen next, in any order: steps of effects, deaths of workers and hosts, the disk, the clock, the
// world, operators, settlers, messages, a second host.

import type { Action, Add } from './action.ts';
import { deaths, recover } from './deaths.ts';
import { Machine, type Model } from './machine.ts';
import { headOf, type OpRun, type Run, type State } from './state.ts';
import { time, touch, UNTOUCHED, world, type Went } from './world.ts';

export function actionsIn(model: Model, state: State): readonly Action[] {
  const actions: Action[] = [];
  const add = (name: string, act: Action['act'], isProgress = true): void => {
    actions.push({ name, act, isProgress });
  };
  const accident = (name: string, act: Action['act']): void => add(name, act, false);
  world(model, state, add, accident);
  if (state.host === null) {
    time(model, state, add);
    add('the host starts again', recover);
    return actions;
  }
  const machine = new Machine(model, state);
  time(model, state, add);
  disks(state, add, accident);
  worker(machine, add, accident);
  people(machine, add, accident);
  deaths(model, state, accident);
  if (machine.messages.isDeliverable) add('a message is delivered', (on) => on.messages.hear());
  if (machine.waits.isDue) add('what is due is looked for', (on) => on.waits.look());
  if (state.host.isSettlingDown) add('what waits is settled down', (on) => on.runner.settleDown());
  return actions;
}

// --- disks

function disks({ journal, receiver, left }: State, add: Add, accident: Add): void {
  // What nobody waits for may be synced or not: a crash decides, and finds both.
  const isAwaited = journal.tail.some(({ wants, isSynced }) => isSynced || wants.length > 0);
  const { outbox } = headOf(journal).snapshot;
  if (isAwaited || (outbox.length > 0 && journal.tail.length > 0))
    add('the journal is synced', (on) => on.recorder.sync(on.state.journal));
  if (receiver.tail.some(({ wants }) => wants.length > 0))
    add("the receiver's journal is synced", (on) => on.recorder.sync(on.state.receiver));
  if (left.checkpoints === 0) return;
  accident('a checkpoint', (on) => {
    on.state.left.checkpoints -= 1;
    on.recorder.checkpoint();
    if (on.state.receiver.kept.seq === 0) return;
    const { library } = on.model;
    const { receiver } = on.state;
    const place = library.checkpoint(headOf(receiver), on.state.now);
    on.recorder.write(receiver, place, null, false);
  });
}

// --- the worker

function worker(machine: Machine, add: Add, accident: Add): void {
  for (const run of machine.host.worker?.runs ?? []) {
    for (const op of run.ops) stepsOf(machine, run, op, add, accident);
  }
}

function stepsOf(
  machine: Machine,
  { eventId }: Run,
  { id, is, effectClass, waitsFrom }: OpRun,
  add: Add,
  accident: Add,
): void {
  const { state, rules } = machine;
  const find = (on: Machine): { readonly run: Run; readonly op: OpRun } => {
    const run = on.runner.runOf(eventId)!;
    return { run, op: run.ops.find((op) => op.id === id)! };
  };
  const does = (went: Went) => (on: Machine) => {
    const { op } = find(on);
    if (went !== 'done') on.state.left.mishaps -= 1;
    const truth = went === 'done' ? 'answered' : went === 'no' ? 'nothing happened' : 'no answer';
    touch(on, id, op.effectClass!, rules.keyOf(id, op.attempt), went, 1);
    op.is = on.rules.seenAs(truth);
  };
  switch (is) {
    case 'permitted':
      add(`${id} is done`, does('done'));
      if (state.left.mishaps === 0) return;
      accident(`${id} is done and its answer is lost`, does('lost'));
      accident(`${id} gets no answer and was not done`, does('never'));
      accident(`${id} says that it did not happen`, does('no'));
      if (effectClass === 'reconcile') accident(`${id} is on its way and gets no answer`, does('late'));
      return;
    case 'done':
    case 'did_not_happen':
    case 'in_doubt':
      add(`what became of ${id} is reported`, (on) => {
        const { run, op } = find(on);
        on.performer.report(run, op);
      });
      return;
    case 'to repeat':
      add(`${id} is tried again`, (on) => {
        const { run, op } = find(on);
        on.performer.repeat(run, op);
      });
      return;
    case 'to ask about': {
      if (rules.asksOnlyAfterTimeout && state.now < waitsFrom + 1) return;
      const truth = (state.world[id]?.happened ?? 0) > 0 ? 'happened' : 'did not';
      const asked = (answer: 'happened' | 'did not' | 'unknown') => (on: Machine) => {
        const { run, op } = find(on);
        const touched = on.state.world[id];
        if (answer === 'did not' && touched !== undefined)
          on.state.world[id] = { ...touched, mayHaveHappened: false };
        on.performer.askedAbout(run, op, answer);
      };
      add(`whoever ${id} was done with says that it ${truth}`, asked(truth));
      if (state.left.mishaps === 0) return;
      accident(`whoever ${id} was done with does not know`, (on) => {
        on.state.left.mishaps -= 1;
        asked('unknown')(on);
      });
      return;
    }
    case 'behind the record':
    case 'recorded':
    case 'recorded earlier':
    case 'announced':
    case 'held':
    case 'waited for':
    case 'delivered':
      return;
  }
}

// --- people

function people(machine: Machine, add: Add, accident: Add): void {
  const { state, snapshot, rules } = machine;
  const { left, journal } = state;
  // One thing at a time is done to a process, and what it acknowledges is durable before the next (agent-process.ts).
  const isBusy = journal.tail.some(({ wants }) =>
    wants.some(
      ({ is }) => is === 'settler' || is === 'settled by time' || is === 'reader' || is === 'operator',
    ),
  );
  if (isBusy) return;
  if (left.events > 0) {
    accident('an event is offered', (on) => {
      on.state.left.events -= 1;
      on.state.accepted += 1;
      const eventId = `e${on.state.accepted}`;
      const data = { event_id: eventId, trigger_id: 't', trigger_type: 'manual', payload: null };
      const want = { is: 'source', eventId } as const;
      on.recorder.note('trigger_event', data, rules.isSourceToldWhenKept ? want : null, rules.isEventSynced);
      if (!rules.isSourceToldWhenKept) on.recorder.grant(want);
    });
  }
  if (
    left.suspensions > 0 &&
    (machine.process.lifecycle === 'running' || machine.process.lifecycle === 'awaiting')
  ) {
    accident('an operator suspends', (on) => {
      on.state.left.suspensions -= 1;
      on.process.hold('operator', 'operator');
    });
  }
  if (machine.process.lifecycle === 'suspended' && snapshot.holds.some(({ kind }) => kind === 'operator'))
    add('an operator resumes', (on) => on.process.resume());
  for (const { effects, event, waits } of snapshot.open) {
    const isRunning = machine.runner.runOf(event.eventId) !== undefined;
    for (const effect of effects) {
      if (!rules.needsOperator(effect) || (isRunning && rules.refusesWhatRuns)) continue;
      for (const word of ['happened', 'did_not_happen', 'skip'] as const)
        resolves(effect.effectId, word, add);
    }
    for (const { kind, waitId } of waits) if (kind === 'promise') settles(state, waitId, add);
  }
  for (const { promiseId } of snapshot.settled) settles(state, promiseId, add);
  for (const { event } of snapshot.deadLetters) {
    add(`an operator redelivers ${event.eventId}`, (on) => {
      const want = { is: 'operator', did: 'redelivered' } as const;
      on.recorder.note(
        'dead_letter_redelivered',
        { event_id: event.eventId },
        rules.isOperatorToldWhenKept ? want : null,
      );
      if (!rules.isOperatorToldWhenKept) on.recorder.grant(want);
    });
  }
  if (left.rewinds > 0) {
    for (const { seq, entry } of machine.rewinds.targets()) {
      accident(`an operator goes back to entry ${seq}, ${entry?.entry_type ?? 'the first'}`, (on) => {
        on.state.left.rewinds -= 1;
        on.rewinds.apply(seq);
      });
    }
  }
  if (left.notes > 0) {
    accident('an operator writes to the agent', (on) => {
      on.state.left.notes -= 1;
      const messageId = `m${on.state.left.notes}`;
      const want = { is: 'reader', messageId } as const;
      on.recorder.note(
        'inbox_message',
        { message_id: messageId },
        rules.isInboxToldWhenKept ? want : null,
        true,
      );
      if (!rules.isInboxToldWhenKept) on.recorder.grant(want);
    });
  }
}

function resolves(effectId: string, word: 'happened' | 'did_not_happen' | 'skip', add: Add): void {
  add(`an operator says of ${effectId}: ${word}`, (on) => {
    const again = word === 'did_not_happen' ? { again: true } : {};
    const touched = on.state.world[effectId];
    if (word === 'did_not_happen')
      on.state.world[effectId] = {
        ...(touched ?? UNTOUCHED),
        mayHaveHappened: false,
        happened: 0,
        isToBeDone: true,
      };
    // What became of it is known from then on, for whoever it was.
    on.recorder.note('effect_resolved', { effect_id: effectId, resolution: word, reason: '', ...again });
    if (on.runner.doubt() === null) on.process.lift(['in_doubt']);
    on.recorder.note('operator_outcome', {}, { is: 'operator', did: 'resolved' });
  });
}

function settles({ left }: State, waitId: string, add: Add): void {
  if (left.settlements === 0) return;
  for (const status of ['resolved', 'rejected'] as const) {
    add(`${waitId} is ${status}`, (on) => {
      on.state.left.settlements -= 1;
      on.waits.settle(waitId, status);
    });
  }
}
