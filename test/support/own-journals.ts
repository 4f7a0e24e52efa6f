// Journals that the real FileJournal writes, at random: several processes in one directory, checkpoints of both kinds,
// restarts of the writer, segments sealed every few lines, and an end that a crash cut short.

import fc from 'fast-check';
import { appendFileSync } from 'node:fs';
import { openFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { NewEntry } from '../../core/model/entry.ts';
import { applyEntry, FOLD_VERSION } from '../../core/model/fold.ts';
import { RawNumber, type JsonObject } from '../../core/model/json.ts';
import { LIFECYCLE_STATES } from '../../core/model/lifecycle.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { anyJson, anyObject, anyText, hostileKey } from './json-arbitraries.ts';
import { legalEntries } from './legal-entries.ts';

type Step =
  | { readonly does: 'append'; readonly entry: Omit<NewEntry, 'process_id'> }
  | { readonly does: 'checkpoint'; readonly state: JsonObject }
  | { readonly does: 'full checkpoint' | 'restart' };

interface Plan {
  /** By process. */
  readonly steps: Readonly<Record<string, readonly Step[]>>;
  /** The active segment is sealed at the next full checkpoint from here on. */
  readonly segmentBytes: number;
  readonly tail: string;
}

const odd: fc.Arbitrary<Step> = fc
  .oneof(
    fc.record({
      entry_type: fc.constant('context_update'),
      data: fc.record({
        key: fc.oneof(hostileKey, fc.constant(null)),
        value: fc.oneof(
          anyJson,
          fc.constantFrom('1e400', '-1e400', '0.1234567890123456789').map((source) => new RawNumber(source)),
        ),
      }),
    }),
    fc.record({ entry_type: anyText.filter((text) => text !== 'checkpoint'), data: anyObject }),
  )
  .map((entry) => ({ does: 'append', entry }));

const handMade: fc.Arbitrary<Step> = fc
  .record({
    context_state: anyObject,
    lifecycle_state: fc.constantFrom(...LIFECYCLE_STATES),
    conversation: fc.array(fc.record({ role: fc.constant('user'), content: anyText }), { maxLength: 2 }),
  })
  .map((state) => ({ does: 'checkpoint', state }));

/** What comes between two legal entries; mostly nothing. */
const between: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 12, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.constant<Step[]>([{ does: 'full checkpoint' }]) },
  { weight: 1, arbitrary: fc.tuple(fc.oneof(handMade, odd)) },
  { weight: 1, arbitrary: fc.constant<Step[]>([{ does: 'restart' }]) },
);

const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(legalEntries(24), fc.array(between, { minLength: 24, maxLength: 24 }))
  .map(([entries, others]) =>
    entries.flatMap(({ entry_type, data, timestamp }, at): Step[] => [
      { does: 'append', entry: { entry_type, data, timestamp } },
      ...others[at]!,
    ]),
  );

export const ownPlan: fc.Arbitrary<Plan> = fc.record({
  steps: fc
    .tuple(
      fc.subarray(['clerk', 'team/a b', 'Größe 📦'], { minLength: 1 }),
      fc.array(steps, { minLength: 3, maxLength: 3 }),
    )
    .map(([names, lists]) => Object.fromEntries(names.map((name, at) => [name, lists[at]!]))),
  segmentBytes: fc.constantFrom(1, 2_000, 64 * 1024 * 1024),
  tail: fc.constantFrom(
    '',
    '',
    '{"entry_id":"3f',
    '{"entry_id":"x","process_id":"clerk","timestamp":"2026-01',
  ),
});

/** What Promptise can't know of a process: the keys that were deleted since its last checkpoint. */
export type Deleted = Readonly<Record<string, ReadonlySet<string>>>;

/** Writes the journal of a plan, process by process in turn. */
export async function writeOwnJournal(
  directory: string,
  { steps, segmentBytes, tail }: Plan,
): Promise<Deleted> {
  const options = { durability: 'os', segmentBytes } as const;
  let journal = openFileJournal(directory, options);
  const lives = new Map<string, Life>();
  const rounds = Math.max(...Object.values(steps).map((list) => list.length));
  for (let at = 0; at < rounds; at += 1) {
    for (const [name, list] of Object.entries(steps)) {
      const step = list[at];
      if (step?.does === 'restart') {
        await journal.close();
        journal = openFileJournal(directory, options);
        for (const life of lives.values()) life.isSignedIn = false;
      } else if (step !== undefined) {
        const life = lives.get(name) ?? { snapshot: emptySnapshot(), isSignedIn: false, deleted: new Set() };
        lives.set(name, life);
        await take(journal, name, life, step);
      }
    }
  }
  await journal.close();
  for (const name of lives.keys()) appendFileSync(journal.pathOf(name), tail);
  return Object.fromEntries([...lives].map(([name, { deleted }]) => [name, deleted]));
}

interface Life {
  snapshot: ProcessSnapshot;
  isSignedIn: boolean;
  deleted: Set<string>;
}

async function take(
  journal: FileJournal,
  process_id: string,
  life: Life,
  step: Exclude<Step, { does: 'restart' }>,
): Promise<void> {
  if (!life.isSignedIn) {
    await journal.claim(process_id);
    const [signed] = (await journal.readLast(process_id, 1)).entries;
    life.snapshot = applyEntry(life.snapshot, signed!);
    life.isSignedIn = true;
  }
  const stored =
    step.does === 'append'
      ? await journal.append({ ...step.entry, process_id })
      : await journal.checkpoint(
          process_id,
          step.does === 'checkpoint' ? step.state : snapshotToState(life.snapshot, FOLD_VERSION),
        );
  life.snapshot = applyEntry(life.snapshot, stored);
  const { entry_type, data } = stored;
  if (entry_type === 'checkpoint') life.deleted.clear();
  if (entry_type !== 'context_update' || typeof data['key'] !== 'string') return;
  if (data['deleted'] === true) life.deleted.add(data['key']);
  else life.deleted.delete(data['key']);
}
