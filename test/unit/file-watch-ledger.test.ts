import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILE_EVENTS, type FileEvent } from '../../core/model/trigger-config.ts';
import { keyOfChange, type FileChange, type Print } from '../../core/triggers/file-watch-change.ts';
import { FileLedger, type Telling } from '../../core/triggers/file-watch-ledger.ts';
import { nameMatcher } from '../../core/triggers/file-watch-names.ts';

const SETTLE_MS = 100;

function print(ino: number, size = 1, mtimeMs = 1): Print {
  return { dev: 1, ino, size, mtimeMs, ctimeMs: 1, birthtimeMs: ino };
}

function ledgerOf(events: readonly FileEvent[] = FILE_EVENTS, trustsInodes = true): FileLedger {
  return new FileLedger({ events, settleMs: SETTLE_MS, longestMs: 10 * SETTLE_MS, trustsInodes });
}

function lookAtAll(ledger: FileLedger): void {
  ledger.lookBegins();
  ledger.lookEnds();
}

/** Tells of all that is ripe after a look at everything, and takes it as told. */
function tellAll(ledger: FileLedger, now: number): readonly FileChange[] {
  lookAtAll(ledger);
  const tellings = ledger.tell(ledger.ripe(1_000, now), now);
  for (const { done } of tellings) done();
  return tellings.map(({ change }) => change);
}

const brief = ({ event, path, oldPath }: FileChange): string =>
  oldPath === null ? `${event} ${path}` : `${event} ${oldPath} to ${path}`;

describe('what is told of a file is the difference to what was told [A11]', () => {
  const A = '/w/a';
  it.each<[string, Print | null, readonly (Print | null)[], readonly FileEvent[]]>([
    ['a new one', null, [print(1)], ['created']],
    ['a new one that is written to', null, [print(1), print(1, 2), print(1, 3)], ['created']],
    ['one that comes and goes', null, [print(1), null], []],
    ['one that is written to many times', print(1), [print(1, 2), print(1, 3), print(1, 4)], ['modified']],
    ['one that is written to and then as it was', print(1), [print(1, 2), print(1)], []],
    ['one that goes', print(1), [null], ['deleted']],
    ['one that is written to and goes', print(1), [print(1, 2), null], ['deleted']],
    ['one that goes and another comes', print(1), [null, print(2, 7)], ['modified']],
    ['one that goes and comes back', print(1), [null, print(1)], []],
    ['one that is replaced by as large a one of the same time', print(1), [print(2)], ['modified']],
  ])('%s', (_, before, states, told) => {
    const ledger = ledgerOf();
    if (before !== null) ledger.take(A, before);
    states.forEach((state, at) => ledger.saw(A, state, at));
    expect(tellAll(ledger, SETTLE_MS - 1)).toEqual([]);
    expect(tellAll(ledger, 2 * SETTLE_MS).map(({ event }) => event)).toEqual(told);
    expect(ledger.pending).toBe(0);
    expect(ledger.files).toBe(states.at(-1) === null ? 0 : 1);
    expect(tellAll(ledger, 99 * SETTLE_MS)).toEqual([]);
  });

  it('says what was seen on the way', () => {
    const ledger = ledgerOf();
    ledger.saw(A, print(1), 0);
    ledger.saw(A, print(1, 2), 1);
    expect(tellAll(ledger, 200)[0]?.events).toEqual(['created', 'modified']);
  });

  it('a file that is written all the time is told of in the end, and again', () => {
    const ledger = ledgerOf();
    ledger.take(A, print(1));
    const told: number[] = [];
    for (let now = 0; now < 30 * SETTLE_MS; now += 10) {
      ledger.saw(A, print(1, now + 2), now);
      if (tellAll(ledger, now).length > 0) told.push(now);
    }
    expect(told).toEqual([1_000, 2_000].map((at, n) => at + 10 * n));
  });

  it('where files are numbered anew, another number is no change', () => {
    const ledger = ledgerOf(FILE_EVENTS, false);
    ledger.take(A, print(1));
    ledger.saw(A, print(2), 0);
    expect(ledger.pending).toBe(0);
    ledger.saw(A, print(3, 2), 0);
    expect(tellAll(ledger, 200).map(brief)).toEqual(['modified /w/a']);
  });
});

describe('moves', () => {
  it('are what is gone here and came there, whichever was seen first', () => {
    for (const order of [0, 1]) {
      const ledger = ledgerOf();
      ledger.take('/w/a', print(1));
      const steps = [() => ledger.saw('/w/a', null, 0), () => ledger.saw('/w/deep/b', print(1), 0)];
      for (const at of [order, 1 - order]) steps[at]!();
      const [change, ...rest] = tellAll(ledger, 200);
      expect([brief(change!), rest]).toEqual(['moved /w/a to /w/deep/b', []]);
      expect([ledger.pending, ledger.files]).toEqual([0, 1]);
    }
  });

  it('wait for their other half to be quiet', () => {
    const ledger = ledgerOf();
    ledger.take('/w/a', print(1));
    ledger.saw('/w/a', null, 0);
    ledger.saw('/w/b', print(1, 1, 5), 50);
    expect(tellAll(ledger, 120)).toEqual([]);
    expect(ledger.nextAt).toBe(150);
    expect(tellAll(ledger, 150).map(brief)).toEqual(['moved /w/a to /w/b']);
  });

  it('are none where only the number of a deleted file was given to a new one', () => {
    const ledger = ledgerOf();
    ledger.take('/w/a', { ...print(1), birthtimeMs: 10 });
    ledger.saw('/w/a', null, 0);
    ledger.saw('/w/b', { ...print(1), birthtimeMs: 20, mtimeMs: 20 }, 0);
    expect(tellAll(ledger, 200).map(brief).toSorted()).toEqual(['created /w/b', 'deleted /w/a']);
  });

  it('are told as what is left of them where moves are not asked for', () => {
    const ledger = ledgerOf(['created', 'modified']);
    ledger.take('/w/a', print(1));
    ledger.saw('/w/a', null, 0);
    ledger.saw('/w/b', print(1), 0);
    expect(tellAll(ledger, 200).map(brief)).toEqual(['created /w/b']);
    expect(ledger.pending).toBe(0);
  });

  it('that are seen by half wait for a look at everything that begins after it', () => {
    const ledger = ledgerOf();
    ledger.take('/w/z/a', print(1));
    ledger.lookBegins();
    ledger.saw('/w/z/a', null, 0); // the look had been in the other folder before
    ledger.lookEnds();
    expect(ledger.wantsLook).toBe(true);
    expect(ledger.ripe(10, 1_000)).toEqual([]);
    expect(ledger.nextAt).toBe(Number.POSITIVE_INFINITY);
    ledger.lookBegins();
    ledger.saw('/w/b/a', print(1), 1_000);
    expect(ledger.ripe(10, 1_200)).toEqual(['/w/z/a', '/w/b/a']);
    ledger.lookEnds();
    expect(ledger.ripe(10, 1_200)).toEqual(['/w/z/a', '/w/b/a']);
  });

  it('that never come to be do not wait, and where none are asked for nothing does', () => {
    const ledger = ledgerOf();
    ledger.saw('/w/a', print(1), 0);
    expect(ledger.ripe(10, 100)).toEqual([]);
    lookAtAll(ledger);
    ledger.saw('/w/a', print(1, 2), 90); // written to meanwhile: it is there as before
    expect(ledger.ripe(10, 190)).toEqual(['/w/a']);
    const other = ledgerOf(['created', 'deleted']);
    other.saw('/w/a', print(1), 0);
    expect([other.ripe(10, 100), other.wantsLook]).toEqual([['/w/a'], false]);
  });

  it('that are refused, and whose file goes on, come to what they come to', () => {
    const ledger = ledgerOf();
    ledger.take('/w/a', print(1));
    ledger.saw('/w/a', null, 0);
    ledger.saw('/w/b', print(1), 0);
    const [telling] = ledger.tell(ledger.ripe(10, 200), 200);
    expect(brief(telling!.change)).toBe('moved /w/a to /w/b');
    ledger.saw('/w/b', null, 210);
    ledger.saw('/w/c', print(1), 210);
    telling!.refused();
    expect(tellAll(ledger, 400).map(brief)).toEqual(['moved /w/a to /w/c']);
    expect([ledger.pending, ledger.files]).toEqual([0, 1]);
  });
});

it('a key is the same for the same change, and another for any other', () => {
  const change: FileChange = { event: 'created', path: '/a', print: print(1), oldPath: null, events: [] };
  const others: readonly FileChange[] = [
    { ...change, event: 'modified' },
    { ...change, path: '/b' },
    { ...change, oldPath: '/c' },
    { ...change, print: print(2) },
    { ...change, print: print(1, 2) },
    { ...change, print: print(1, 1, 2) },
    // Moved away and back again: news each time.
    { ...change, print: { ...print(1), ctimeMs: 2 } },
  ];
  expect(keyOfChange({ ...change, events: ['created', 'modified'] })).toBe(keyOfChange(change));
  expect(new Set([change, ...others].map(keyOfChange)).size).toBe(others.length + 1);
  expect(keyOfChange(change)).toMatch(/^[0-9a-f]{64}$/);
});

it.each([
  ['*', ['a', '.a', 'a b\n', 'ü'], []],
  ['*.csv', ['a.csv', '.a.csv', '.csv', 'ü.csv'], ['a.csv.tmp', 'csv', 'a.CSV']],
  ['?.txt', ['a.txt', '..txt'], ['.txt', 'ab.txt']],
  ['[ab]*', ['a', 'bcd'], ['c', '.a']],
  ['[!ab]*', ['c'], ['a']],
  ['*.{csv,json}', ['a.csv', 'b.json'], ['a.txt']],
  ['.env*', ['.env', '.env.local'], ['env']],
])('the pattern %s matches %j and not %j', (pattern, matching, others) => {
  const matches = nameMatcher([pattern]);
  expect(matching.filter((name) => !matches(name))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

it('patterns that match nothing are refused', () => {
  for (const pattern of ['', 'a/*.csv']) {
    expect(() => nameMatcher(['*', pattern])).toThrow(
      expect.objectContaining({ code: 'trigger.bad-pattern', detail: { pattern } }),
    );
  }
});

describe('whatever happens, and is refused, and comes meanwhile [P1]', () => {
  const PATHS = ['/w/a', '/w/b', '/w/x/c'] as const;
  type Step =
    | { readonly kind: 'put'; readonly path: string; readonly ino: number; readonly size: number }
    | { readonly kind: 'drop'; readonly path: string }
    | { readonly kind: 'move'; readonly from: string; readonly to: string }
    | { readonly kind: 'wait'; readonly ms: number }
    | { readonly kind: 'tell'; readonly limit: number }
    | { readonly kind: 'answer'; readonly isTaken: boolean };
  const path = fc.constantFrom(...PATHS);
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      path,
      ino: fc.integer({ min: 1, max: 3 }),
      size: fc.integer({ min: 1, max: 2 }),
    }),
    fc.record({ kind: fc.constant('drop' as const), path }),
    fc.record({ kind: fc.constant('move' as const), from: path, to: path }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 150 }) }),
    fc.record({ kind: fc.constant('tell' as const), limit: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('answer' as const), isTaken: fc.boolean() }),
  );

  it('what was told, put together, is what is there; and nothing is told that does not follow', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ledger = ledgerOf();
        const disk = new Map<string, Print>([['/w/a', print(9)]]);
        const known = new Map(disk);
        ledger.take('/w/a', print(9));
        const underWay: Telling[] = [];
        let now = 0;
        const saw = (at: string): void => ledger.saw(at, disk.get(at) ?? null, now);
        const take = ({ change, done }: Telling): void => {
          const { event, path, oldPath } = change;
          const wasThere = known.has(path);
          if (wasThere === (event === 'created' || event === 'moved')) throw new Error(brief(change));
          if (oldPath !== null && !known.delete(oldPath)) throw new Error(brief(change));
          if (event === 'deleted') known.delete(path);
          else known.set(path, change.print);
          done();
        };
        for (const each of steps) {
          switch (each.kind) {
            case 'put':
              disk.set(each.path, print(each.ino, each.size));
              saw(each.path);
              break;
            case 'drop':
              disk.delete(each.path);
              saw(each.path);
              break;
            case 'move': {
              const file = disk.get(each.from);
              if (file === undefined || each.from === each.to) break;
              disk.delete(each.from);
              disk.set(each.to, file);
              saw(each.from);
              saw(each.to);
              break;
            }
            case 'wait':
              now += each.ms;
              break;
            case 'tell':
              if (each.limit > 2) lookAtAll(ledger);
              underWay.push(...ledger.tell(ledger.ripe(each.limit, now), now));
              break;
            case 'answer': {
              const telling = underWay.shift();
              if (telling === undefined) break;
              if (each.isTaken) take(telling);
              else telling.refused();
            }
          }
          // Bounded by the paths there are, whatever is refused.
          if (ledger.pending > PATHS.length || ledger.files > PATHS.length) throw new Error('it grew');
        }
        for (let round = 0; round < 10; round += 1) {
          for (const telling of underWay.splice(0)) take(telling);
          now += 10 * SETTLE_MS;
          lookAtAll(ledger);
          underWay.push(...ledger.tell(ledger.ripe(2, now), now));
        }
        expect(ledger.pending).toBe(0);
        expect(known).toEqual(disk);
        expect(ledger.files).toBe(disk.size);
      }),
      { numRuns: 2_000 },
    );
  });
});
