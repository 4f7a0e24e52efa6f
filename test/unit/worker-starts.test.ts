// A host that starts a few workers at a time.

import { expect, test } from 'vitest';
import { fewStarts } from '../../core/host/few-starts.ts';
import type { WorkerHandle, WorkerHost } from '../../core/model/ports.ts';
import { waitFor } from '../support/wait-for.ts';

interface Start {
  readonly process: string;
  readonly end: (how: 'ready' | 'failed') => void;
}

/** A host whose starts take until they are told to end. */
function slowHost(): { readonly host: WorkerHost; readonly starting: Start[]; readonly begun: string[] } {
  const starting: Start[] = [];
  const begun: string[] = [];
  const host: WorkerHost = {
    reap: async () => {},
    spawn: ({ process }) =>
      new Promise((resolve, reject) => {
        begun.push(process);
        const start: Start = {
          process,
          end: (how) => {
            starting.splice(starting.indexOf(start), 1);
            if (how === 'ready') resolve({} as WorkerHandle);
            else reject(new Error('no such module'));
          },
        };
        starting.push(start);
      }),
  };
  return { host, starting, begun };
}

const spec = (process: string) => ({ process, entrypoint: 'agent.ts', generation: 1 });
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six'];
const LONG_MS = 60_000;

test('a few start at once, in the order of asking; one that fails makes room like one that is ready', async () => {
  const { host, starting, begun } = slowHost();
  const few = fewStarts(host, 2, LONG_MS);
  const ends = NAMES.map((name) => few.spawn(spec(name), new AbortController().signal).catch(String));
  for (let count = 2; count <= NAMES.length; count += 1) {
    await waitFor(() => begun.length === count, { what: `the start of ${NAMES[count - 1]}` });
    expect(starting).toHaveLength(2);
    starting[0]!.end(count % 2 === 0 ? 'ready' : 'failed');
  }
  starting[0]!.end('ready');
  expect(begun).toEqual(NAMES);
  expect((await Promise.all(ends)).filter((end) => end === 'Error: no such module')).toHaveLength(2);
});

test('one that hangs while it loads keeps others waiting for a while, and not for good', async () => {
  const { host, begun } = slowHost();
  const few = fewStarts(host, 1, 20);
  for (const name of NAMES) few.spawn(spec(name), new AbortController().signal).catch(() => {}); // none ever ends
  await waitFor(() => begun.length === NAMES.length, { what: 'the last' });
});

test('one that is called off in line leaves at once, and takes nobody’s place', async () => {
  const { host, starting, begun } = slowHost();
  const few = fewStarts(host, 1, LONG_MS);
  const first = few.spawn(spec('one'), new AbortController().signal);
  const off = new AbortController();
  const second = few.spawn(spec('two'), off.signal);
  const third = few.spawn(spec('three'), new AbortController().signal);
  off.abort();
  await expect(second).rejects.toMatchObject({ code: 'worker.called-off' });
  const late = few.spawn(spec('four'), off.signal);
  await expect(late).rejects.toMatchObject({ code: 'worker.called-off' });
  await waitFor(() => starting.length === 1, { what: 'the first' });
  starting[0]!.end('ready');
  await first;
  await waitFor(() => starting.length === 1, { what: 'the third' });
  starting[0]!.end('ready');
  await third;
  expect(begun).toEqual(['one', 'three']);
});
