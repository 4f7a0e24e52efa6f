// An attached console hears changes while it reads the fleet, in every order that one chunk of the host's can hold. The
// host is a script behind a real socket: only so do an answer and what follows it arrive together each time.

import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { FleetView, JournalView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { attachedConsole } from '../../core/host/attached-console.ts';
import { connectToHost } from '../../core/host/host-connection.ts';
import { lineReader } from '../../core/host/line-reader.ts';
import { makeSocketDirectory, socketPath } from '../../core/host/socket-path.ts';
import { openConsole, useConsole, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { processRow } from './electron-rows.ts';

const AT = '2026-01-01T00:00:00+00:00';
const JOURNAL: JournalView = {
  id: 'j1',
  title: 'agents',
  directory: '/agents/.holdfast-journal',
  access: 'live',
  format: 'holdfast',
  note: '',
  asOf: null,
  sizeBytes: 1,
  badLines: 0,
  triggersHeld: null,
};

/** The one process, as of a change: what is shown says which. */
const rowAt = (sequence: number): ProcessRow => processRow({ name: 'a', why: `as of ${sequence}` });

const fleetAt = (sequence: number): FleetView => ({
  sequence,
  at: AT,
  journals: [JOURNAL],
  processes: [rowAt(sequence)],
});

const changeTo = (sequence: number): object => ({
  event: {
    name: 'fleet.changed',
    payload: { sequence, at: AT, upserts: [rowAt(sequence)], removed: [], journals: null },
  },
});

/** What is sent around an answer, or that the host ends instead of answering. */
type Said = 'ends' | Answer;
interface Answer {
  readonly before?: readonly object[];
  readonly fleet: FleetView;
  readonly after?: readonly object[];
}

interface Scripted extends TestConsole {
  /** How often the fleet was read. */
  readonly reads: () => number;
}

/**
 * Attaches to a host that answers each reading of its fleet with the next of `script`, all of it in one chunk. A silent one
 * does not say whether it tells changes.
 */
async function attachedTo(script: readonly Said[], { isSilent = false } = {}): Promise<Scripted> {
  const path = socketPath(tempDirectory(), JOURNAL.id);
  makeSocketDirectory(path);
  let reads = 0;
  const server = createServer((socket) => {
    const say = (...values: readonly object[]): void =>
      void socket.write(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    const answer = (line: string): void => {
      const { id, name } = JSON.parse(line) as { readonly id: number; readonly name?: string };
      if (isSilent && name === undefined) return;
      if (name !== 'fleet.read') {
        say({ id, result: { ok: true, value: {} } });
        return;
      }
      const said = script[Math.min(reads, script.length - 1)]!;
      reads += 1;
      if (said === 'ends') {
        socket.destroy();
        return;
      }
      const { before = [], fleet, after = [] } = said;
      say(...before, { id, result: { ok: true, value: fleet } }, ...after);
    };
    socket.on('error', () => {}); // Its close follows.
    socket.on(
      'data',
      lineReader(1_000_000, answer, () => socket.destroy()),
    );
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(() => void server.close());
  const host = {
    connection: await connectToHost(path),
    pid: process.pid,
    sequence: 1,
    journal: JOURNAL,
    rows: [rowAt(1)],
  };
  const { host: looking } = await openConsole(null, null);
  const at = await useConsole(
    await attachedConsole({ host, looking, beatMs: 60_000, answerWithinMs: isSilent ? 50 : 10_000 }),
  );
  return { ...at, reads: () => reads };
}

const shown = ({ host }: TestConsole): string | undefined => host.fleet().processes[0]?.why;

test('[P5] a gap behind the answer that is being read is read too', async () => {
  const at = await attachedTo([{ fleet: fleetAt(1), after: [changeTo(3)] }, { fleet: fleetAt(3) }]);
  expect([at.reads(), shown(at)]).toEqual([2, 'as of 3']);
});

test('[P5] a gap before the answer is filled by it, and nothing is read again', async () => {
  const at = await attachedTo([{ before: [changeTo(4)], fleet: fleetAt(5) }]);
  expect([at.reads(), shown(at)]).toEqual([1, 'as of 5']);
});

test('[P5] what was told meanwhile is not undone by an answer that is older', async () => {
  const at = await attachedTo([{ fleet: fleetAt(1), after: [changeTo(2)] }]);
  expect([at.reads(), shown(at)]).toEqual([1, 'as of 2']);
});

test('[P5] it reads as often as new gaps show, and no more', async () => {
  const at = await attachedTo([
    { fleet: fleetAt(1), after: [changeTo(3)] },
    { fleet: fleetAt(3), after: [changeTo(5)] },
    { fleet: fleetAt(5), after: [changeTo(7)] },
    { fleet: fleetAt(7) },
  ]);
  expect([at.reads(), shown(at)]).toEqual([4, 'as of 7']);
});

test('[P5] a gap, and a host that is gone before it is read, is the end of it', async () => {
  const at = await attachedTo([{ fleet: fleetAt(1), after: [changeTo(3)] }, 'ends']);
  await waitFor(() => at.notices().includes('host.gone'), { what: 'that the host is gone' });
  expect(at.host.fleet().processes).toMatchObject([{ state: 'unknown', live: false }]);
  expect(at.reads()).toBe(2);
});

test('[P5] a host that hangs before it tells anything is not waited for', async () => {
  const at = await attachedTo([{ fleet: fleetAt(1) }], { isSilent: true });
  await waitFor(() => at.notices().includes('host.gone'), { what: 'that the host is gone' });
  expect(at.host.fleet().processes).toMatchObject([{ state: 'unknown', live: false }]);
});
