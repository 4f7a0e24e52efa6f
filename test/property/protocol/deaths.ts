// Deaths of workers and hosts, what a disk loses with them, and the host that comes after.

import type { Add } from './action.ts';
import { Machine, type Model } from './machine.ts';
import { copyOf, isUnreported, type Disk, type State } from './state.ts';

export function deaths({ rules, scenario }: Model, state: State, accident: Add): void {
  const { left, host } = state;
  if (left.workerDeaths > 0 && host?.worker !== null) {
    accident('the worker dies', (on) => {
      on.state.left.workerDeaths -= 1;
      on.runner.workerGone(false);
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
export function recover(on: Machine): void {
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
  on.rewinds.finish();
  if (rules.reaps)
    state.orphans = state.orphans.filter(
      ({ generation }) => !left.some((one) => one.generation === generation),
    );
  for (const { generation, pid } of left)
    on.recorder.note('worker_exited', { generation, pid, expected: true });
  if (on.process.lifecycle !== 'created') on.recorder.note('recovered', { from: on.process.lifecycle });
  on.process.setGoing();
  on.waits.look();
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
  on.recorder.sync(on.state.journal);
  return on.state;
}
