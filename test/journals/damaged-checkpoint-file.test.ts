// Cut anywhere, neither file of a journal hurts what is whole: a checkpoint file that was cut short costs nothing, since
// the line has it all [J8, S19], and a journal that was cut short gives the state as of its last whole line [J4, P8].

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { DAMAGED_JOURNALS } from '../support/damaged/expected.ts';
import { treeHash } from '../support/fixtures.ts';
import { fourOf, type Four } from '../support/promptise-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';

function copyOf(name: string): string {
  const directory = join(tempDirectory(), 'journal');
  cpSync(join(DAMAGED_JOURNALS, name, 'journal'), directory, { recursive: true });
  return directory;
}

async function four(directory: string): Promise<Four> {
  return fourOf(
    (await new ReplayEngine(readFileJournal(directory)).recover('counter')) as unknown as JsonObject,
  );
}

/** Tries every length that the file could have been cut to, and gives those at which `look` finds something else than `right`. */
async function wrongCuts(
  directory: string,
  file: string,
  right: (cut: number) => Four,
): Promise<readonly number[]> {
  const path = join(directory, file);
  const whole = readFileSync(path);
  const wrong: number[] = [];
  for (let cut = 0; cut < whole.length; cut += 1) {
    writeFileSync(path, whole.subarray(0, cut));
    const before = treeHash(directory);
    const found = await four(directory);
    if (JSON.stringify(found) !== JSON.stringify(right(cut)) || treeHash(directory) !== before)
      wrong.push(cut);
  }
  writeFileSync(path, whole);
  return wrong;
}

const WHOLE: Four = {
  context_state: { parcels: 2, city: 'Jerez' },
  lifecycle_state: 'suspended',
  last_entry_type: 'state_transition',
  entries_replayed: 3,
};

describe.each(['promptise-whole', 'ours-whole'])('%s', (name) => {
  test('[J8, S19] a checkpoint file cut at every byte', async () => {
    const directory = copyOf(name);
    expect(await four(directory)).toEqual(WHOLE);
    expect(await wrongCuts(directory, 'counter.checkpoint.json', () => WHOLE)).toEqual([]);
  });

  test.each([
    ['NUL bytes', Buffer.alloc(300)],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['a list', Buffer.from('[{"context_state": {}}]')],
    ['an empty object', Buffer.from('{}')],
    ['a number', Buffer.from('0')],
    ['nested too deep', Buffer.from('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000))],
  ])('[J8, S19] a checkpoint file that is %s', async (_what, bytes) => {
    const directory = copyOf(name);
    writeFileSync(join(directory, 'counter.checkpoint.json'), bytes);
    expect(await four(directory)).toEqual(WHOLE);
  });

  test('[J4] the journal cut at every byte, with its checkpoint file as of the last line that is whole', async () => {
    const directory = copyOf(name);
    const path = join(directory, 'counter.jsonl');
    const whole = readFileSync(path);
    const checkpoint = readFileSync(join(directory, 'counter.checkpoint.json'));
    const begins = whole.lastIndexOf('"checkpoint"');
    const saved = whole.indexOf(10, begins) + 1;
    const states: { readonly end: number; readonly four: Four }[] = [];
    for (let end = 0; ; end = whole.indexOf(10, end) + 1) {
      writeFileSync(path, whole.subarray(0, end));
      // A file that is ahead of every line of a foreign journal counts as newer: it would not have been there yet.
      writeFileSync(join(directory, 'counter.checkpoint.json'), end < saved ? '' : checkpoint);
      states.push({ end, four: await four(directory) });
      if (end === whole.length) break;
    }
    expect(new Set(states.map(({ four }) => JSON.stringify(four))).size).toBe(states.length);
    expect(states.at(-1)!.four).toEqual(WHOLE);
    writeFileSync(path, whole);
    const right = (cut: number): Four => states.findLast(({ end }) => end <= cut)!.four;
    writeFileSync(join(directory, 'counter.checkpoint.json'), '');
    expect(await wrongCuts(directory, 'counter.jsonl', right)).toEqual([]);
  });
});
