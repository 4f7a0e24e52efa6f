// Entry ids that come twice in a journal of any size.

import { describe, expect, test } from 'vitest';
import { DuplicateIds, SuspectIds } from '../../core/journal/duplicate-ids.ts';

describe('ids that come twice', () => {
  test('are found among very many, exactly, and no other', () => {
    const suspects = new SuspectIds();
    const id = (n: number): string => `id-${n % 199_990}`;
    for (let n = 0; n < 200_000; n += 1) suspects.add(id(n));
    const found = new DuplicateIds(suspects.suspects);
    const seen: (readonly [number, number | null])[] = [];
    for (let n = 0; n < 200_000; n += 1) {
      const first = found.seenAt(id(n), n);
      if (first !== null) seen.push([n, first]);
    }
    expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => [199_990 + n, n]));
  });

  test('beyond what is compared in full are counted all the same', () => {
    const suspects = new SuspectIds();
    const ids = Array.from({ length: 25_000 }, (_, n) => `id-${n}`);
    for (const id of [...ids, ...ids]) suspects.add(id);
    expect(suspects.suspects).toMatchObject({ isCut: true });
    const found = new DuplicateIds(suspects.suspects);
    const seen = [...ids, ...ids].filter((id, at) => found.seenAt(id, at) !== null);
    expect(seen).toEqual(ids);
  });
});
