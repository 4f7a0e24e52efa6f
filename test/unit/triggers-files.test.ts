// Folders that a real runtime watches: a real disk, a real journal, agents in real workers.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { fileWatch } from '../support/triggers.ts';

const NOTE = `note([event.payload.event_type, event.payload.filename].join(' '));`;

async function watching(
  trigger: Parameters<typeof fileWatch>[1] = {},
): Promise<Bench & { readonly inbox: string }> {
  const inbox = join(tempDirectory(), 'inbox');
  const b = await bench(NOTE, { triggers: [fileWatch(inbox, trigger)] });
  await opened(b);
  return { ...b, inbox };
}

const opened = (b: Bench): Promise<void> =>
  b.until('the folder', ({ triggers }) => triggers.views()[0]!.address !== null);

async function ran(b: Bench, times: number): Promise<void> {
  await b.until(`${times} runs`, ({ snapshot }) => snapshot.invocationCount >= times);
  await b.until('their ends', isIdle);
}

test('[A11] one write runs the agent once, however many pieces it is written in', async () => {
  const b = await watching();
  for (let piece = 0; piece < 20; piece += 1) {
    writeFileSync(join(b.inbox, 'a.csv'), `${piece}\n`, { flag: 'a' });
  }
  await ran(b, 1);
  writeFileSync(join(b.inbox, 'b.csv'), 'b');
  await ran(b, 2);
  expect(b.ledger()).toEqual(['created a.csv', 'created b.csv']);
});

test('[A11] only what is asked for: its names, and its events', async () => {
  const b = await watching({ patterns: ['*.csv'], events: ['deleted'] });
  const at = (name: string): string => join(b.inbox, name);
  for (const name of ['a.csv', 'b.csv', 'c.txt']) writeFileSync(at(name), name);
  const next = await b.again();
  await opened(next);
  writeFileSync(at('a.csv'), 'more');
  rmSync(at('c.txt'));
  rmSync(at('b.csv'));
  await ran(next, 1);
  rmSync(at('a.csv'));
  await ran(next, 2);
  expect(next.ledger()).toEqual(['deleted b.csv', 'deleted a.csv']);
});

test('[A12] [P1] what changes while a process is held is told once it goes on, and once', async () => {
  const b = await watching();
  await b.process.suspend(OPERATOR);
  writeFileSync(join(b.inbox, 'a.csv'), 'a');
  await b.until('the refusal', ({ triggers }) => triggers.views()[0]!.problem?.code === 'process.held');
  expect(b.process.snapshot.queue).toEqual([]);
  await b.process.resume(OPERATOR);
  await ran(b, 1);
  expect(b.ledger()).toEqual(['created a.csv']);
  expect(b.process.triggers.views()[0]!.problem).toBeNull();
});

test('[C23] a folder is made where there is none, and what lay in it when the host began is no news', async () => {
  const b = await watching();
  writeFileSync(join(b.inbox, 'old.csv'), 'old');
  await ran(b, 1);
  const next = await b.again();
  await opened(next);
  mkdirSync(join(b.inbox, 'deep'));
  writeFileSync(join(b.inbox, 'deep', 'new.csv'), 'new');
  await ran(next, 2);
  expect(next.ledger()).toEqual(['created old.csv', 'created new.csv']);
});
