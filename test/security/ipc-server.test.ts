import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConsoleHost } from '../../core/contract/console-host.ts';
import { requestChannel, REQUEST_NAMES } from '../../core/contract/names.ts';
import { REQUESTS } from '../../core/contract/requests.ts';
import { serveRequests } from '../../electron/main/ipc-server.ts';

type Handler = (event: { senderFrame: unknown }, request: unknown) => Promise<unknown>;

/** Electron's side of it: what is registered is called as Electron would, with frames of our choosing. */
const registered = vi.hoisted(() => new Map<string, Handler>());
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => registered.set(channel, handler) },
}));

const console_ = { parent: null, origin: 'app://console' };
const asked: [string, unknown][] = [];
let heard = 0;

function hostThat(answers: ConsoleHost['handle']): ConsoleHost {
  return {
    handle: answers,
    subscribe: () => () => undefined,
    fleet: () => ({ sequence: 0, at: '', journals: [], processes: [] }),
    setVisible: () => undefined,
    busy: () => [],
    close: () => Promise.resolve(),
  };
}

beforeEach(() => {
  registered.clear();
  asked.length = 0;
  heard = 0;
});

describe('the server of requests', () => {
  const serve = (host: Promise<ConsoleHost>): void => serveRequests(host, () => (heard += 1));
  const recording = hostThat((name, request) => {
    asked.push([name, request]);
    return Promise.resolve({ ok: true, value: name });
  });
  const invoke = (
    channel: string,
    senderFrame: unknown,
    request: unknown = {},
  ): Promise<unknown> | undefined => registered.get(channel)?.({ senderFrame }, request);

  test('answers each request of the contract and nothing else', () => {
    serve(Promise.resolve(recording));
    const expected = (Object.keys(REQUESTS) as (typeof REQUEST_NAMES)[number][]).map(requestChannel);
    expect([...registered.keys()].sort()).toEqual(expected.sort());
  });

  test('passes the console’s own requests to the host as they are', async () => {
    serve(Promise.resolve(recording));
    const request = { journalId: 'a' };
    expect(await invoke(requestChannel('journals.close'), console_, request)).toEqual({
      ok: true,
      value: 'journals.close',
    });
    expect(asked).toEqual([['journals.close', request]]);
    expect(heard).toBe(1);
  });

  test.each([
    ['a frame in the console', { parent: console_, origin: 'app://console' }],
    ['another origin', { parent: null, origin: 'https://example.com' }],
    ['a page without an origin', { parent: null, origin: 'null' }],
    ['a blank page', { parent: null, origin: '' }],
    ['a look-alike', { parent: null, origin: 'app://console.example' }],
    ['a file', { parent: null, origin: 'file://' }],
    ['a frame that is gone', null],
  ])('refuses %s, on every channel, and the host hears nothing', async (_, frame) => {
    serve(Promise.resolve(recording));
    for (const name of REQUEST_NAMES) {
      expect(await invoke(requestChannel(name), frame)).toMatchObject({
        ok: false,
        error: { code: 'console.not-ours' },
      });
    }
    expect(asked).toEqual([]);
    expect(heard).toBe(0);
  });

  test('never rejects, even when there is no host', async () => {
    const failed = Promise.reject(new Error('no disk'));
    serve(failed);
    expect(await invoke(requestChannel('fleet.read'), console_)).toEqual({
      ok: false,
      error: { code: 'host.not-started', message: 'no disk' },
    });
  });
});
