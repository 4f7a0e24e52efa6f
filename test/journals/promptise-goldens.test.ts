// P8 on journals that the real Promptise wrote: recovered as Promptise recovers them, save where ours is better on
// purpose, and looked at without a trace.

import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JournalView } from '../../core/contract/fleet-views.ts';
import { ProcessDetail } from '../../core/contract/process-detail.ts';
import { ProcessRow } from '../../core/contract/process-row.ts';
import { TimelinePage } from '../../core/contract/timeline-views.ts';
import { lookAtJournal } from '../../core/host/looked-at-journal.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { entriesForwards } from '../../core/journal/read-entries.ts';
import type { Cursor } from '../../core/model/ports.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { PROMPTISE_JOURNALS, promptiseCases, treeHash } from '../support/fixtures.ts';
import { foreignLine, fileOf } from '../support/journal-bytes.ts';
import { fourOf, INTENDED, promptiseAnswers } from '../support/promptise-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

let before = '';
beforeAll(() => (before = treeHash(PROMPTISE_JOURNALS)));
afterAll(() => expect(treeHash(PROMPTISE_JOURNALS)).toBe(before));

const ANSWERS = promptiseAnswers();

describe('recovered like Promptise', () => {
  test.each(ANSWERS.map((answer) => [answer.name, answer.process, answer] as const))(
    '%s: %s',
    async (name, process, { directory, theirs, error }) => {
      const ours = fourOf(
        (await new ReplayEngine(readFileJournal(directory)).recover(process)) as unknown as Parameters<
          typeof fourOf
        >[0],
      );
      const intended = INTENDED[name];
      if (intended === undefined) {
        expect(error).toBe('');
        expect(ours).toEqual(theirs);
      } else {
        expect(ours, intended.reason).toEqual(intended.ours);
        expect(theirs, 'an intended difference that is none').not.toEqual(ours);
      }
    },
  );

  test('every intended difference has its journal', () => {
    expect(Object.keys(INTENDED).filter((name) => !promptiseCases().includes(name))).toEqual([]);
  });

  test('an odd line is reported with its number and place, and only there', async () => {
    for (const name of promptiseCases().filter((each) => each.startsWith('line-'))) {
      const journal = readFileJournal(join(PROMPTISE_JOURNALS, name, 'journal'));
      const { damage } = await new ReplayEngine(journal).recover('counter');
      const isOdd = name !== 'line-with-other-keys';
      expect(damage.length, name).toBe(isOdd ? 1 : 0);
      const bytes = readFileSync(join(PROMPTISE_JOURNALS, name, 'journal/counter.jsonl'));
      for (const { seq, offset } of damage) {
        expect(bytes.subarray(0, offset).filter((byte) => byte === 10).length).toBe(seq - 1);
      }
    }
  });
});

describe('looked at', () => {
  test.each(promptiseCases())(
    '[P6] %s: rows, details and the whole timeline, and every byte and time stays as it was',
    async (name) => {
      const directory = join(PROMPTISE_JOURNALS, name, 'journal');
      const hash = treeHash(directory);
      const source = await lookAtJournal(directory, () => {});
      try {
        expect(JournalView.parse(source.view())).toMatchObject({ format: 'promptise', access: 'read-only', directory });
        const rows = source.rows();
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          expect(ProcessRow.parse(row)).toMatchObject({ live: false, actions: [], worker: null });
          const detail = ProcessDetail.parse(source.detail(row.name));
          const recovered = await new ReplayEngine(readFileJournal(directory)).recover(row.name, { lenient: true });
          expect(detail.row.state).toBe(recovered.lifecycle_state);
          expect(detail.context.map(({ key }) => key).sort()).toEqual(
            Object.keys(recovered.context_state).sort(),
          );
          const seqs: number[] = [];
          let cursor: Cursor | null = null;
          do {
            const page = TimelinePage.parse(await source.timeline(row.name, 3, cursor));
            seqs.push(...page.rows.map((each) => each.seq));
            for (const each of page.rows) expect(each.verification).toMatch(/^(unverified|unreadable)$/);
            cursor = page.before as Cursor | null;
          } while (cursor !== null);
          const path = readFileJournal(directory).pathOf(row.name);
          expect(seqs.toReversed()).toEqual([...entriesForwards(path)].map((item) => item.seq));
        }
      } finally {
        await source.close();
      }
      expect(treeHash(directory)).toBe(hash);
    },
  );

  test('a journal that grows while it is looked at is followed, new processes included', async () => {
    const directory = join(tempDirectory(), 'journal');
    cpSync(join(PROMPTISE_JOURNALS, 'two-processes/journal'), directory, { recursive: true });
    const heard: (readonly string[])[] = [];
    const source = await lookAtJournal(directory, (names) => heard.push(names));
    try {
      expect(source.rows().map((row) => row.name)).toEqual(['north', 'south']);
      appendFileSync(
        join(directory, 'north.jsonl'),
        fileOf([
          foreignLine({ process_id: 'north', data: { key: 'parcels', value: 41 } }),
          foreignLine({ process_id: 'north', entry_type: 'state_transition', data: { to_state: 'failed' } }),
        ]),
      );
      await waitFor(() => source.detail('north').row.state === 'failed', { what: 'the new state' });
      expect(source.detail('north').context).toContainEqual({ key: 'parcels', text: '41', cut: false });
      expect(source.detail('south').row.state).toBe('running');
      appendFileSync(join(directory, 'west.jsonl'), `${foreignLine({ process_id: 'west' })}\n{"half`);
      await waitFor(() => source.rows().length === 3, { what: 'the new process' });
      expect((await source.timeline('west', 9, null)).rows).toHaveLength(1);
      expect(heard.at(-1)).toEqual(['north', 'south', 'west']);
    } finally {
      await source.close();
    }
  });
});
