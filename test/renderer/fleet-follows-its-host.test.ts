import { expect, test } from 'vitest';
import {
  applyAll,
  applyChange,
  fleetOf as fleetState,
  type FleetChange,
} from '../../renderer/stores/fleet-change.ts';
import { createFleetStore } from '../../renderer/stores/fleet.ts';
import { before, fleetOf, journalOf, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';

const change = (sequence: number, over: Partial<FleetChange> = {}): FleetChange => ({
  sequence,
  at: before(0),
  upserts: [],
  removed: [],
  journals: null,
  ...over,
});
const running = rowOf({ name: 'a' });
const suspended = rowOf({ name: 'a', state: 'suspended' });
const stateOf = (host: {
  getState(): { processes: Readonly<Record<string, { state: string }>> };
}): string | undefined => host.getState().processes[running.key]?.state;

test('the next change in sequence is applied: rows by key, removals, journals only when they changed', () => {
  const fleet = fleetState(fleetOf([running, rowOf({ name: 'b' })]));
  const applied = applyChange(
    fleet,
    change(2, { upserts: [suspended], removed: [rowOf({ name: 'b' }).key] }),
  );
  if (applied.kind !== 'applied') throw new Error(applied.kind);
  expect(Object.values(applied.fleet.processes)).toEqual([suspended]);
  expect(applied.fleet.journals).toBe(fleet.journals);
  const journals = [journalOf({ id: 'other' })];
  expect(applyChange(applied.fleet, change(3, { journals }))).toMatchObject({
    kind: 'applied',
    fleet: { journals },
  });
});

test('a change that is part of the snapshot is old, one that skips a number is a gap', () => {
  const fleet = fleetState(fleetOf([running], { sequence: 7 }));
  expect(applyChange(fleet, change(7)).kind).toBe('old');
  expect(applyChange(fleet, change(9)).kind).toBe('gap');
  expect(applyAll(fleet, [change(6), change(8), change(10)]).kind).toBe('gap');
});

test('a change without rows leaves the table of rows the same object, so that nothing is drawn again', () => {
  const fleet = fleetState(fleetOf([running]));
  const applied = applyChange(fleet, change(2));
  expect(applied.kind === 'applied' && applied.fleet.processes).toBe(fleet.processes);
});

function slowHost(): { host: MemoryHost; release: (sequence: number) => void } {
  const host = memoryHost();
  const waiting: ((sequence: number) => void)[] = [];
  host.answer(
    'fleet.read',
    () =>
      new Promise((resolve) => {
        waiting.push((sequence) => resolve(ok(fleetOf([running], { sequence }))));
      }),
  );
  return { host, release: (sequence) => waiting.shift()?.(sequence) };
}

test('changes that arrive while the snapshot is on its way are applied after it, those before it are dropped', async () => {
  const { host, release } = slowHost();
  const fleet = createFleetStore(host.client);
  const reading = fleet.read();
  host.say('fleet.changed', change(4, { upserts: [rowOf({ name: 'a', state: 'failed' })] }));
  host.say('fleet.changed', change(6, { upserts: [suspended] }));
  release(5);
  await reading;
  expect(fleet.store.getState().sequence).toBe(6);
  expect(stateOf(fleet.store)).toBe('suspended');
});

test('a gap makes it read the fleet again', async () => {
  const host = memoryHost();
  let sequence = 1;
  host.answer('fleet.read', () => ok(fleetOf([running], { sequence })));
  const fleet = createFleetStore(host.client);
  await fleet.read();
  sequence = 5;
  host.say('fleet.changed', change(3));
  await fleet.read();
  expect(host.askedFor('fleet.read')).toHaveLength(2);
  expect(fleet.store.getState().sequence).toBe(5);
});

test('a gap while the snapshot is on its way is noticed too', async () => {
  const { host, release } = slowHost();
  const fleet = createFleetStore(host.client);
  const reading = fleet.read();
  host.say('fleet.changed', change(9));
  release(5);
  await Promise.resolve();
  await expect.poll(() => host.askedFor('fleet.read').length).toBe(2);
  release(9);
  await reading;
  expect(fleet.store.getState().sequence).toBe(9);
});

test('one batch is one change of the store', async () => {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([running])));
  const fleet = createFleetStore(host.client);
  await fleet.read();
  let changes = 0;
  fleet.store.subscribe(() => (changes += 1));
  host.say(
    'fleet.changed',
    change(2, { upserts: Array.from({ length: 50 }, (_, at) => rowOf({ name: `p${at}` })) }),
  );
  expect(changes).toBe(1);
});

test('[P5] a reading that fails later leaves what is known in place; the first one says what failed', async () => {
  const host = memoryHost();
  const failure = { code: 'catalog.unreadable', message: 'The index could not be read.' };
  host.answer('fleet.read', () => refused(failure));
  const fleet = createFleetStore(host.client);
  await fleet.read();
  expect(fleet.store.getState()).toMatchObject({ phase: 'failed', failure });
  host.answer('fleet.read', () => ok(fleetOf([running])));
  await fleet.read();
  host.answer('fleet.read', () => refused(failure));
  await fleet.read();
  expect(fleet.store.getState()).toMatchObject({ phase: 'ready', failure });
  expect(stateOf(fleet.store)).toBe('running');
});
