import { expect, test } from 'vitest';
import { createProcessStore, type ProcessStore } from '../../renderer/stores/process.ts';
import { detailOf, entryOf, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';

const row = rowOf();
const target = { journalId: row.journalId, process: row.name };
const rows = (...numbers: number[]) => numbers.map((seq) => entryOf(seq));
const seqs = (store: ProcessStore): number[] => store.store.getState().timeline.rows.map(({ seq }) => seq);

function readyHost(): MemoryHost {
  const host = memoryHost();
  host.answer('processes.read', ({ process }) => ok(detailOf(rowOf({ name: process }))));
  host.answer('timeline.read', ({ before }) =>
    ok(before === null ? { rows: rows(5, 4), before: 'c1' } : { rows: rows(3, 2, 1), before: null }),
  );
  return host;
}

/** The newest page does not come before it is let. */
function heldBack(host: MemoryHost): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.answer('timeline.read', async () => {
    await promise;
    return ok({ rows: rows(5, 4), before: 'c1' });
  });
  return () => resolve();
}

async function shown(host: MemoryHost): Promise<ProcessStore> {
  const store = createProcessStore(host.client);
  store.show(target);
  await expect.poll(() => store.store.getState().timelinePhase).toBe('ready');
  return store;
}

const says = (host: MemoryHost, changed: number[], gap = false, process = row.name): void => {
  host.say('process.changed', {
    journalId: row.journalId,
    process,
    detail: detailOf(rowOf({ state: 'suspended' })),
    rows: rows(...changed),
    gap,
  });
};

test('it watches before it reads, so that nothing falls between the two', async () => {
  const host = readyHost();
  const store = await shown(host);
  expect(host.asked[0]).toEqual({ name: 'processes.watch', request: { target } });
  expect(store.store.getState()).toMatchObject({ phase: 'ready', detail: { row: { name: row.name } } });
  expect(seqs(store)).toEqual([5, 4]);
});

test('changes bring the detail and the rows; those of another process are not ours', async () => {
  const host = readyHost();
  const store = await shown(host);
  says(host, [6]);
  says(host, [7], false, 'somebody-else');
  expect(seqs(store)).toEqual([6, 5, 4]);
  expect(store.store.getState().detail?.row.state).toBe('suspended');
});

test('a gap reads the newest page again while following, and when the reader asks for it otherwise', async () => {
  const host = readyHost();
  const store = await shown(host);
  host.answer('timeline.read', () => ok({ rows: rows(99, 98), before: 'c9' }));
  store.follow(false);
  says(host, [99], true);
  expect(store.store.getState().timeline.missed).toBe(true);
  expect(seqs(store)).toEqual([5, 4]);
  store.release();
  await expect.poll(() => seqs(store)).toEqual([99, 98]);
  store.follow(true);
  host.answer('timeline.read', () => ok({ rows: rows(199), before: 'c19' }));
  says(host, [199], true);
  await expect.poll(() => seqs(store)).toEqual([199]);
});

test('a gap while the newest page is on its way is not covered up: the page is read again', async () => {
  const host = readyHost();
  const arrive = heldBack(host);
  const store = createProcessStore(host.client);
  store.show(target);
  await expect.poll(() => host.askedFor('timeline.read').length).toBe(1);
  says(host, [99], true);
  host.answer('timeline.read', () => ok({ rows: rows(99, 98), before: 'c9' }));
  arrive();
  await expect.poll(() => seqs(store)).toEqual([99, 98]);
  expect(store.store.getState().timeline.missed).toBe(false);
});

test('a gap while the newest page is on its way waits for a reader who does not follow', async () => {
  const host = readyHost();
  const store = createProcessStore(host.client);
  const arrive = heldBack(host);
  store.show(target);
  store.follow(false);
  await expect.poll(() => host.askedFor('timeline.read').length).toBe(1);
  says(host, [99], true);
  arrive();
  await expect.poll(() => seqs(store)).toEqual([5, 4]);
  expect(store.store.getState().timeline.missed).toBe(true);
});

test('older entries come page by page from where the last page ended', async () => {
  const host = readyHost();
  const store = await shown(host);
  await store.readOlder();
  expect(host.askedFor('timeline.read').at(-1)).toMatchObject({ before: 'c1' });
  expect(seqs(store)).toEqual([5, 4, 3, 2, 1]);
  await store.readOlder();
  expect(host.askedFor('timeline.read')).toHaveLength(2);
});

test('an answer for a process that is not looked at any more is dropped', async () => {
  const host = readyHost();
  let late = (): void => undefined;
  host.answer('processes.read', ({ process }) =>
    process === row.name
      ? new Promise((resolve) => {
          late = () => resolve(ok(detailOf(row)));
        })
      : ok(detailOf(rowOf({ name: process }))),
  );
  const store = createProcessStore(host.client);
  store.show(target);
  await expect.poll(() => host.askedFor('processes.read').length).toBe(1);
  store.show({ ...target, process: 'other' });
  await expect.poll(() => store.store.getState().detail?.row.name).toBe('other');
  late();
  await Promise.resolve();
  expect(store.store.getState().detail?.row.name).toBe('other');
});

test('what could not be read says so, and is asked for again', async () => {
  const host = readyHost();
  host.answer('processes.read', () =>
    refused({ code: 'process.unknown', message: 'There is no such process.' }),
  );
  const store = createProcessStore(host.client);
  store.show(target);
  await expect.poll(() => store.store.getState().phase).toBe('failed');
  host.answer('processes.read', () => ok(detailOf(row)));
  store.again();
  await expect.poll(() => store.store.getState().phase).toBe('ready');
});

test('leaving ends the watch', async () => {
  const host = readyHost();
  const store = await shown(host);
  store.show(null);
  expect(host.askedFor('processes.watch').at(-1)).toEqual({ target: null });
  says(host, [6]);
  expect(store.store.getState().detail).toBeNull();
});
