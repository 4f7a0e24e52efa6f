// The host's local socket: the window's contract for whoever is the same user, and nothing that such a client does or
// leaves undone costs the host more than it allows. Real sockets, a real host.

import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { REQUESTS } from '../../core/contract/requests.ts';
import { connectToHost } from '../../core/host/host-connection.ts';
import { seekHost } from '../../core/host/seek-host.ts';
import { socketPath } from '../../core/host/socket-path.ts';
import { readMarker } from '../../core/journal/marker.ts';
import { startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const isRoot = process.getuid?.() === 0;

interface Listening extends TestConsole {
  readonly data: string;
  readonly workspace: string;
  readonly path: string;
  readonly journalId: string;
}

async function listening(
  workspace = workspaceOf({ a: '', b: '' }),
  data = tempDirectory(),
): Promise<Listening> {
  const opened = await openConsole(workspace, data);
  const journalId = readMarker(join(workspace, '.holdfast-journal'))!.id;
  return { ...opened, data, workspace, journalId, path: socketPath(data, journalId) };
}

interface Client {
  readonly socket: Socket;
  readonly lines: Record<string, unknown>[];
  readonly send: (...values: readonly object[]) => void;
  readonly answer: (
    id: number,
  ) => Promise<{ readonly ok: boolean; readonly value: never; readonly error: { code: string } }>;
  readonly closed: Promise<void>;
}

/** Speaks the wire's language by hand. */
async function connect(path: string): Promise<Client> {
  const socket = createConnection({ path, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  socket.on('error', () => {}); // Its close follows.
  socket.on('end', () => socket.end());
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  // Or it is refused at once, where the system has no room for more that wait.
  await Promise.race([closed, new Promise<void>((resolve) => void socket.once('connect', resolve))]);
  return {
    socket,
    lines,
    closed,
    send: (...values) => void socket.write(values.map((value) => `${JSON.stringify(value)}\n`).join('')),
    answer: async (id) => (await waitFor(() => lines.find((line) => line['id'] === id)))['result'] as never,
  };
}

async function stillAnswers({ path, journalId }: Listening): Promise<void> {
  const client = await connect(path);
  client.send({ id: 1, name: 'processes.read', request: { journalId, process: 'a' } });
  expect(await client.answer(1)).toMatchObject({ ok: true });
  client.socket.destroy();
}

test('every request of the contract is answered there, and what needs the person at the screen is refused', async () => {
  const at = await listening();
  const client = await connect(at.path);
  const names = Object.keys(REQUESTS);
  names.forEach((name, id) => client.send({ id, name, request: { junk: true } }));
  for (const [id, name] of names.entries()) {
    const { ok, error } = await client.answer(id);
    expect({ name, ok, code: error.code }).toEqual({
      name,
      ok: false,
      code: name === 'journals.choose' ? 'socket.needs-a-screen' : 'request.invalid',
    });
  }
  client.send({
    id: 100,
    name: 'processes.suspend',
    request: { journalId: at.journalId, process: 'a', ...command() },
  });
  expect(await client.answer(100)).toMatchObject({ ok: true, value: { state: 'suspended' } });
  client.send({ id: 101, name: '__proto__', request: {} }, { id: 102, name: 'nothing', request: {} });
  for (const id of [101, 102]) expect((await client.answer(id)).error.code).toBe('request.unknown');
});

test('events go only to those that subscribed, and what a console watches is told to that one alone', async () => {
  const at = await listening();
  const [deaf, first, second] = await Promise.all([connect(at.path), connect(at.path), connect(at.path)]);
  const watch = (process: string) => ({
    id: 2,
    name: 'processes.watch',
    request: { target: { journalId: at.journalId, process } },
  });
  first.send({ id: 1, subscribe: true }, watch('a'));
  second.send({ id: 1, subscribe: true }, watch('b'));
  await Promise.all([first.answer(2), second.answer(2)]);
  for (const process of ['a', 'b'])
    await at.get('processes.suspend', { journalId: at.journalId, process, ...command() });
  const told = ({ lines }: Client, name: string): unknown[] =>
    lines.flatMap(({ event }) => {
      const said = event as { name: string; payload: { process?: string } } | undefined;
      return said?.name === name ? [said.payload.process] : [];
    });
  for (const client of [first, second]) await waitFor(() => told(client, 'fleet.changed').length > 0);
  await waitFor(
    () => told(first, 'process.changed').length > 0 && told(second, 'process.changed').length > 0,
  );
  expect(new Set(told(first, 'process.changed'))).toEqual(new Set(['a']));
  expect(new Set(told(second, 'process.changed'))).toEqual(new Set(['b']));
  // The host's own console watches nothing, so neither is told to it.
  expect(at.events.some(({ name }) => name === 'process.changed')).toBe(false);
  expect(deaf.lines).toEqual([]);
});

test('who watches and does not subscribe, or no more, is told nothing', async () => {
  const at = await listening();
  const [never, noMore, still] = await Promise.all([connect(at.path), connect(at.path), connect(at.path)]);
  const watch = { name: 'processes.watch', request: { target: { journalId: at.journalId, process: 'a' } } };
  never.send({ id: 1, ...watch });
  noMore.send({ id: 0, subscribe: true }, { id: 1, ...watch });
  still.send({ id: 0, subscribe: true }, { id: 1, ...watch });
  await Promise.all([never, noMore, still].map((client) => client.answer(1)));
  const heard = ({ lines }: Client): unknown[] => lines.filter((line) => 'event' in line);
  const changes = ({ lines }: Client): number =>
    lines.filter(({ event }) => (event as { name: string } | undefined)?.name === 'process.changed').length;
  await at.get('processes.suspend', { journalId: at.journalId, process: 'a', ...command() });
  await waitFor(() => changes(noMore) > 0 && changes(still) > 0);
  noMore.send({ id: 2, subscribe: false });
  await noMore.answer(2);
  const before = heard(noMore).length;
  const told = changes(still);
  await at.get('processes.resume', { journalId: at.journalId, process: 'a', ...command() });
  await waitFor(() => changes(still) > told);
  for (const client of [never, noMore]) {
    client.send({ id: 9, name: 'fleet.read', request: {} });
    await client.answer(9);
  }
  expect(heard(never)).toEqual([]);
  expect(heard(noMore)).toHaveLength(before);
  // Whoever subscribes and watches again is told again.
  noMore.send({ id: 3, subscribe: true }, { id: 4, ...watch });
  await noMore.answer(4);
  await waitFor(() => heard(noMore).length > before);
});

test('[P7] the same command id over the window and the socket is one act and one record', async () => {
  const at = await listening();
  const client = await connect(at.path);
  const request = { journalId: at.journalId, process: 'a', ...command() };
  client.send({ id: 1, name: 'processes.suspend', request });
  const [there, here] = await Promise.all([client.answer(1), at.get('processes.suspend', request)]);
  expect(there.value).toEqual(here);
  const page = await at.get('timeline.read', {
    journalId: at.journalId,
    process: 'a',
    before: null,
    limit: 200,
  });
  expect(page.rows.filter(({ type }) => type === 'operator_action')).toHaveLength(1);
});

test('many requests in one piece are all answered, each once', async () => {
  const at = await listening();
  const client = await connect(at.path);
  const count = 2_000;
  client.send(...Array.from({ length: count }, (_, id) => ({ id, name: 'app.info', request: {} })));
  await waitFor(() => client.lines.length >= count);
  expect(new Set(client.lines.map(({ id }) => id)).size).toBe(count);
  expect(client.lines).toHaveLength(count);
});

test('a client that ends its side still gets its answers, and then the connection ends', async () => {
  const at = await listening();
  const client = await connect(at.path);
  client.send({ id: 1, name: 'fleet.read', request: {} }, { id: 2, name: 'app.info', request: {} });
  client.socket.end();
  await client.closed;
  expect(new Set(client.lines.map(({ id }) => id))).toEqual(new Set([1, 2]));
});

test.each<[string, string | Buffer]>([
  ['no JSON', 'GET / HTTP/1.1\r\n\r\n'],
  ['no request', '{"id":1}\n'],
  ['a list', '[]\n'],
  ['an id that is none', '{"id":"x","name":"app.info","request":{}}\n'],
  ['more than a request has', '{"id":1,"name":"app.info","request":{},"operator":"somebody"}\n'],
  ['an empty line', '\n'],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 10])],
  ['nesting without end', `${'['.repeat(500_000)}\n`],
])('hostile: %s ends the connection with the reason, and the host goes on', async (_what, bytes) => {
  const at = await listening();
  const client = await connect(at.path);
  client.socket.write(bytes);
  await client.closed;
  expect(client.lines).toMatchObject([
    { id: null, result: { ok: false, error: { code: 'socket.bad-line' } } },
  ]);
  await stillAnswers(at);
});

test('hostile: a line of 100 MB is cut off at its limit and never kept', async () => {
  const at = await listening();
  const client = await connect(at.path);
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  const taken = (): Promise<boolean> =>
    new Promise((resolve) => void client.socket.write(megabyte, (error) => resolve(!error)));
  let sent = 0;
  while (sent < 100 && (await taken())) sent += 1;
  await client.closed;
  expect(sent).toBeLessThan(20);
  await stillAnswers(at);
});

test('hostile: who asks and never reads is dropped before much is kept for it', async () => {
  const at = await listening();
  const client = await connect(at.path);
  client.socket.pause();
  const ask = `${JSON.stringify({ id: 1, name: 'fleet.read', request: {} })}\n`.repeat(500);
  let isGone = false;
  client.socket.on('error', () => (isGone = true));
  await waitFor(
    async () => {
      await new Promise<void>((resolve) => void client.socket.write(ask, () => resolve()));
      return isGone;
    },
    { what: 'the end of the slow reader' },
  );
  await stillAnswers(at);
});

test('hostile: of a thousand connections most are turned away with the reason; then there is room again', async () => {
  const at = await listening();
  const attached = await connect(at.path);
  const many = await Promise.all(Array.from({ length: 1_000 }, () => connect(at.path)));
  await waitFor(() => many.filter(({ socket }) => socket.destroyed).length >= 1_000 - 63);
  const told = many.filter(({ lines }) => lines.length > 0);
  expect(many.filter(({ socket }) => !socket.destroyed)).toHaveLength(63);
  expect(told[0]!.lines).toMatchObject([{ id: null, result: { error: { code: 'socket.full' } } }]);
  // Who was there before is served all the same.
  attached.send({ id: 1, name: 'app.info', request: {} });
  expect(await attached.answer(1)).toMatchObject({ ok: true });
  for (const { socket } of many) socket.destroy();
  await Promise.all(many.map(({ closed }) => closed));
  await waitFor(
    async () => {
      const next = await connect(at.path);
      next.send({ id: 1, name: 'app.info', request: {} });
      await waitFor(() => next.lines.length > 0 || next.socket.destroyed);
      next.socket.destroy();
      return next.lines[0]?.['id'] === 1;
    },
    { what: 'room for one more' },
  );
});

test('[J10] the socket is its user’s alone, also where the directory was open', async () => {
  const data = tempDirectory();
  mkdirSync(join(data, 'sockets'));
  chmodSync(join(data, 'sockets'), 0o777);
  const at = await listening(undefined, data);
  expect(statSync(join(data, 'sockets')).mode & 0o777).toBe(0o700);
  expect(statSync(at.path).mode & 0o777).toBe(0o600);
  await stillAnswers(at);
  await at.host.close();
  expect(readdirSync(join(data, 'sockets'))).toEqual([]);
});

test.skipIf(!isRoot)('a directory of another user is neither listened in nor trusted', async () => {
  const data = tempDirectory();
  const directory = join(data, 'sockets');
  mkdirSync(directory, { mode: 0o700 });
  chownSync(directory, 65_534, 65_534);
  const at = await listening(undefined, data);
  expect(at.host.fleet().journals).toMatchObject([{ access: 'live' }]);
  await waitFor(() => at.notices().includes('socket.not-private'));
  // Somebody else's host behind the right name.
  const impostor = createServer();
  onTestFinished(() => void impostor.close());
  await new Promise<void>((resolve) => void impostor.listen(at.path, resolve));
  await expect(connectToHost(at.path)).rejects.toMatchObject({ code: 'socket.not-private' });
  chownSync(directory, 0, 0);
  chownSync(at.path, 65_534, 65_534);
  await expect(connectToHost(at.path)).rejects.toMatchObject({ code: 'socket.not-private' });
  chownSync(at.path, 0, 0);
  chmodSync(directory, 0o755);
  await expect(connectToHost(at.path)).rejects.toMatchObject({ code: 'socket.not-private' });
});

test('an address that the system has no room for: the host runs, and says what to do', async () => {
  const data = join(tempDirectory(), 'x'.repeat(100));
  mkdirSync(data);
  const opened = await openConsole(workspaceOf({ a: '' }), data);
  expect(opened.host.fleet().journals).toMatchObject([{ access: 'live' }]);
  const notice = await waitFor(() => opened.events.find(({ name }) => name === 'console.notice'));
  expect(notice.payload).toMatchObject({ code: 'socket.path-too-long', tone: 'attention' });
});

test('the socket of a host that was killed is replaced; one that a host listens on is not', async () => {
  const workspace = workspaceOf({ a: '' });
  const data = tempDirectory();
  const first = await listening(workspace, data);
  await first.host.close();
  const dead = startNode(fileURLToPath(new URL('../support/listen-until-killed.ts', import.meta.url)), [
    first.path,
  ]);
  endsWithTest(dead);
  await waitFor(() => dead.stdout() === 'listening\n');
  // It holds no journal, but it lives, and nobody takes its place.
  const second = await listening(workspace, data);
  await waitFor(() => second.notices().includes('socket.in-use'));
  await second.host.close();
  expect(dead.process.exitCode).toBeNull();
  dead.process.kill('SIGKILL');
  await dead.ended;
  expect(statSync(first.path).isSocket()).toBe(true);
  const third = await listening(workspace, data);
  expect(third.notices()).toEqual([]);
  await stillAnswers(third);
});

test('a copy of a journal with its id is not taken for the one that is run', async () => {
  const at = await listening();
  const copy = join(tempDirectory(), 'copy');
  cpSync(at.workspace, copy, { recursive: true });
  // Its holder.json names this process, which lives, and runs another directory.
  const directory = join(copy, '.holdfast-journal');
  const sought = await seekHost({ directory, journalId: at.journalId, data: () => at.data });
  expect(sought).toMatchObject({ kind: 'unreachable', why: { code: 'socket.other-journal' } });
});
