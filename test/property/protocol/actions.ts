// Everything that can happen next, in any order: steps of effects, deaths of workers and hosts, the disk, the clock, the
// world, operators, settlers, messages, a second host.

import { isUnreported, Machine, type Model } from './machine.ts';
import { copyOf, type Disk, type OpRun, type Run, type State, type Touched } from './state.ts';

export interface Action {
  readonly name: string;
  /** Whether it is how things go by themselves, or when people do what is asked of them; else it is an accident. */
  readonly isProgress: boolean;
  readonly act: (machine: Machine) => void;
}

const UNTOUCHED: Touched = {
  mayHaveHappened: false,
  happened: 0,
  key: '',
  since: 0,
  underWayUntil: null,
  isToBeDone: false,
};

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
  if (machine.isDeliverable) add('a message is delivered', (on) => on.hear());
  if (machine.isDue) add('what is due is looked for', (on) => on.look());
  if (state.host.isSettlingDown) add('what waits is settled down', (on) => on.settleDown());
  return actions;
}

type Add = (name: string, act: Action['act']) => void;

// --- the world and time

function world(model: Model, state: State, add: Add, accident: Add): void {
  for (const [id, touched] of Object.entries(state.world)) {
    if (touched.underWayUntil === null || state.now >= touched.underWayUntil) continue;
    add(`${id} arrives late`, (on) => {
      const late = on.state.world[id]!;
      if (late.happened > 0) on.blame('P2', `${id} was done again, and then arrives late`);
      on.state.world[id] = {
        ...late,
        mayHaveHappened: true,
        happened: late.happened + 1,
        underWayUntil: null,
      };
    });
  }
  for (const { generation, mayDo } of state.orphans) {
    for (const effect of mayDo) {
      accident(`the orphan does ${effect.effectId}`, (on) => {
        const orphan = on.state.orphans.find((candidate) => candidate.generation === generation)!;
        orphan.mayDo = orphan.mayDo.filter(({ effectId }) => effectId !== effect.effectId);
        touch(on, effect.effectId, effect.effectClass, effect.key, 'lost', null);
      });
    }
  }
  if (state.fenced !== null) {
    accident('the fenced host writes', (on) => {
      const { checksLockBeforeWriting, locksOutOthers } = model.rules;
      if (!checksLockBeforeWriting || !locksOutOthers)
        on.blame('one writer', `epoch ${on.state.fenced} writes behind epoch ${on.state.epoch}`);
      on.state.fenced = null;
    });
  }
}

function time(model: Model, state: State, add: Add): void {
  if (state.left.ticks === 0 || !isTimed(model, state)) return;
  add('time passes', ({ state: next }) => {
    next.now += 1;
    next.left.ticks -= 1;
    for (const [id, touched] of Object.entries(next.world)) {
      const { underWayUntil } = touched;
      if (underWayUntil !== null && next.now >= underWayUntil)
        next.world[id] = { ...touched, underWayUntil: null };
    }
  });
}

/** Whether anything depends on what time it is. */
function isTimed(model: Model, state: State): boolean {
  const { facts } = new Machine(model, state).head;
  // A call follows its permit at once: nobody could keep a clock from passing in between.
  const isUnderWay =
    state.host?.worker?.runs.some(({ ops }) =>
      ops.some(({ is, effectClass }) => is === 'permitted' && isClocked(effectClass)),
    ) === true || state.orphans.some(({ mayDo }) => mayDo.some(({ effectClass }) => isClocked(effectClass)));
  if (isUnderWay) return false;
  return (
    Object.values(facts.waits).some(({ due, end }) => due !== null && end === null) ||
    Object.values(facts.events).some(({ retryAt }) => retryAt !== null) ||
    Object.values(facts.effects).some(({ effectClass }) => isClocked(effectClass))
  );
}

/** Its key ages, or its call takes its time. */
function isClocked(effectClass: string | null): boolean {
  return effectClass === 'idempotent' || effectClass === 'reconcile';
}

type Went = 'done' | 'lost' | 'never' | 'no' | 'late';

/** A call reaches the world. Whether it may is what all of this is about. */
function touch(
  on: Machine,
  effectId: string,
  effectClass: string,
  key: string,
  went: Went,
  timeout: number | null,
): void {
  const { state, head } = on;
  const before = state.world[effectId] ?? UNTOUCHED;
  const fact = head.facts.effects[effectId];
  if (fact?.state === 'done') on.blame('P2', `${effectId} has an outcome and is done again`);
  if (head.facts.events[effectId.split('/')[0]!]?.at === 'over')
    on.blame('P2', `${effectId} is done after the end`);
  if (before.mayHaveHappened) {
    if (effectClass === 'ask' || effectClass === 'reconcile')
      on.blame('P2', `${effectId} of class ${effectClass} may have happened and is done again`);
    if (effectClass === 'idempotent' && before.key !== key)
      on.blame('P2', `${effectId} is repeated under another key`);
    if (effectClass === 'idempotent' && state.now >= before.since + KEY_TTL)
      on.blame('P2', `${effectId} is repeated when its key is forgotten`);
  }
  const isFirst = !before.mayHaveHappened && went !== 'no';
  state.world[effectId] = {
    mayHaveHappened: before.mayHaveHappened || went !== 'no',
    happened: Math.min(2, before.happened + (went === 'done' || went === 'lost' ? 1 : 0)),
    key: isFirst ? key : before.key,
    since: isFirst ? state.now : before.since,
    underWayUntil: went === 'late' && timeout !== null ? state.now + timeout : before.underWayUntil,
    isToBeDone: false,
  };
}

/** Of every `idempotent` effect of the programs, in ticks. */
const KEY_TTL = 2;

// --- disks

function disks({ journal, receiver, left }: State, add: Add, accident: Add): void {
  // What nobody waits for may be synced or not: a crash decides, and finds both.
  const isAwaited = journal.tail.some(({ wants, isSynced }) => isSynced || wants.length > 0);
  const { outbox } = journal.tail.at(-1)?.place.snapshot ?? journal.kept.snapshot;
  if (isAwaited || (outbox.length > 0 && journal.tail.length > 0))
    add('the journal is synced', (on) => on.sync(on.state.journal));
  if (receiver.tail.some(({ wants }) => wants.length > 0))
    add("the receiver's journal is synced", (on) => on.sync(on.state.receiver));
  if (left.checkpoints === 0) return;
  accident('a checkpoint', (on) => {
    on.state.left.checkpoints -= 1;
    on.checkpoint();
    if (on.state.receiver.kept.seq === 0) return;
    const { library } = on.model;
    const { receiver } = on.state;
    const place = library.checkpoint(receiver.tail.at(-1)?.place ?? receiver.kept, on.state.now);
    on.write(receiver, place, null, false);
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
    const run = on.runOf(eventId)!;
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
        on.report(run, op);
      });
      return;
    case 'to repeat':
      add(`${id} is tried again`, (on) => {
        const { run, op } = find(on);
        on.repeat(run, op);
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
        on.askedAbout(run, op, answer);
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
      on.note('trigger_event', data, rules.isSourceToldWhenKept ? want : null, rules.isEventSynced);
      if (!rules.isSourceToldWhenKept) on.grant(want);
    });
  }
  if (left.suspensions > 0 && (machine.lifecycle === 'running' || machine.lifecycle === 'awaiting')) {
    accident('an operator suspends', (on) => {
      on.state.left.suspensions -= 1;
      on.hold('operator', 'operator');
    });
  }
  if (machine.lifecycle === 'suspended' && snapshot.holds.some(({ kind }) => kind === 'operator'))
    add('an operator resumes', (on) => on.resume());
  for (const { effects, event, waits } of snapshot.open) {
    const isRunning = machine.runOf(event.eventId) !== undefined;
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
      on.note(
        'dead_letter_redelivered',
        { event_id: event.eventId },
        rules.isOperatorToldWhenKept ? want : null,
      );
      if (!rules.isOperatorToldWhenKept) on.grant(want);
    });
  }
  if (left.notes > 0) {
    accident('an operator writes to the agent', (on) => {
      on.state.left.notes -= 1;
      const messageId = `m${on.state.left.notes}`;
      const want = { is: 'reader', messageId } as const;
      on.note('inbox_message', { message_id: messageId }, rules.isInboxToldWhenKept ? want : null, true);
      if (!rules.isInboxToldWhenKept) on.grant(want);
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
    on.note('effect_resolved', { effect_id: effectId, resolution: word, reason: '', ...again });
    if (on.doubt() === null) on.lift(['in_doubt']);
    on.note('operator_outcome', {}, { is: 'operator', did: 'resolved' });
  });
}

function settles({ left }: State, waitId: string, add: Add): void {
  if (left.settlements === 0) return;
  for (const status of ['resolved', 'rejected'] as const) {
    add(`${waitId} is ${status}`, (on) => {
      on.state.left.settlements -= 1;
      on.settle(waitId, status);
    });
  }
}

// --- deaths

function deaths({ rules, scenario }: Model, state: State, accident: Add): void {
  const { left, host } = state;
  if (left.workerDeaths > 0 && host?.worker !== null) {
    accident('the worker dies', (on) => {
      on.state.left.workerDeaths -= 1;
      on.workerGone(false);
    });
  }
  const isWeak = scenario.durability !== 'always';
  const written = state.journal.tail.findIndex(({ isSynced }) => isSynced || !isWeak);
  const least = written < 0 ? state.journal.tail.length : written;
  if (left.hostDeaths > 0) {
    for (const [cut, cutThere] of cuts(state.journal, state.receiver)) {
      const lost = `, ${state.journal.tail.length - cut} lines lost`;
      const isAlive = (host?.worker?.runs ?? []).some(({ ops }) => ops.some(isUnreported));
      const dies = (isPower: boolean) => (on: Machine) => {
        on.state.left.hostDeaths -= 1;
        die(on, cut, cutThere, isPower);
      };
      if (cut >= least) accident(`the host dies${lost}`, dies(false));
      if (cut < least || isAlive) accident(`the power fails${lost}`, dies(true));
    }
  }
  if (left.takeOvers > 0) {
    accident('a second host comes', (on) => {
      on.state.left.takeOvers -= 1;
      // The lock is the kernel's: it is refused.
      if (!rules.locksOutOthers) takeOver(on, on.state.journal.tail.length);
    });
    for (let cut = 0; cut <= state.journal.tail.length; cut += 1) {
      accident(`the lock's file is lost, and a second host comes, ${cut} lines written`, (on) => {
        on.state.left.takeOvers -= 1;
        takeOver(on, cut);
      });
    }
  }
}

function* cuts(journal: Disk, receiver: Disk): Iterable<readonly [number, number]> {
  for (let cut = 0; cut <= journal.tail.length; cut += 1) {
    for (let there = 0; there <= receiver.tail.length; there += 1) yield [cut, there];
  }
}

function cutTo(disk: Disk, lines: number): Disk {
  const kept = lines === 0 ? disk.kept : disk.tail[lines - 1]!.place;
  return { kept, tail: [] };
}

function die(on: Machine, cut: number, cutThere: number, isPower: boolean): void {
  const { state } = on;
  if (!isPower) orphan(on);
  else state.orphans = [];
  state.host = null;
  state.fenced = null;
  // What is left is synced before anybody acts on it (core/journal/take-file.ts).
  state.journal = cutTo(state.journal, cut);
  state.receiver = cutTo(state.receiver, cutThere);
  // Where nobody can do anything meanwhile, the next host may as well come at once.
  const isQuiet =
    state.orphans.length === 0 && Object.values(state.world).every((one) => one.underWayUntil === null);
  if (isQuiet) recover(on);
}

function orphan({ state, rules }: Machine): void {
  const worker = state.host?.worker;
  if (worker == null) return;
  const mayDo = worker.runs.flatMap(({ ops }) =>
    ops.flatMap(({ id, is, effectClass, attempt }) =>
      is === 'permitted' ? [{ effectId: id, effectClass: effectClass!, key: rules.keyOf(id, attempt) }] : [],
    ),
  );
  if (mayDo.length > 0) state.orphans.push({ generation: worker.generation, mayDo });
}

function takeOver(on: Machine, cut: number): void {
  const { epoch } = on.host;
  die(on, cut, on.state.receiver.tail.length, false);
  if (on.state.host === null) recover(on);
  on.state.fenced = epoch;
}

/** core/runtime/take-over.ts, and `begin` of agent-process.ts. */
function recover(on: Machine): void {
  const { state, rules, model } = on;
  state.epoch += 1;
  state.host = {
    name: state.epoch % 2 === 1 ? 'A' : 'B',
    epoch: state.epoch,
    isWanted: false,
    isGateOpen: true,
    isSettlingDown: false,
    pending: [],
    worker: null,
    delivering: null,
  };
  const { library } = model;
  const signed = library.sign(state.journal.kept, state.epoch, state.now);
  on.violations.push(...signed.violations);
  state.journal = { kept: signed, tail: [] };
  const left = signed.snapshot.workers;
  if (rules.reaps)
    state.orphans = state.orphans.filter(
      ({ generation }) => !left.some((one) => one.generation === generation),
    );
  for (const { generation, pid } of left) on.note('worker_exited', { generation, pid, expected: true });
  if (on.lifecycle !== 'created') on.note('recovered', { from: on.lifecycle });
  on.setGoing();
  on.look();
}

export function beginning(model: Model): State {
  const { scenario, library } = model;
  const nothing = { kept: library.empty, tail: [] };
  const state: State = {
    now: 0,
    journal: nothing,
    receiver: nothing,
    host: null,
    epoch: 0,
    fenced: null,
    orphans: [],
    world: {},
    told: { accepted: [], settled: {}, notes: [], resolved: 0, redelivered: 0 },
    accepted: 0,
    left: scenario.left,
  };
  const on = new Machine(model, copyOf(state));
  recover(on);
  on.sync(on.state.journal);
  return on.state;
}
