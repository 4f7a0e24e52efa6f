// [S15] `holdfast verify` of a journal in several segments, packed and unpacked, dropped and missing.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { foreignLine } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { kinds, sealed, SEGMENTS, verifyOne, writeHead, writeSegments } from '../support/verified.ts';

describe('[S15] segments', () => {
  const damaged = async (): Promise<{ directory: string; names: string[] }> => {
    const directory = tempDirectory();
    await writeSegments(directory, 40);
    return { directory, names: sealed(directory) };
  };

  test('a line in a packed one is named with its place there', async () => {
    const { directory, names } = await damaged();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = gunzipSync(readFileSync(path));
    const at = bytes.indexOf('"n"', 300);
    bytes[at + 1]! ^= 1;
    writeFileSync(path, gzipSync(bytes));
    const [found] = (await verifyOne(directory)).damage;
    const offset = bytes.lastIndexOf(10, at) + 1;
    expect(found).toMatchObject({ kind: 'checksum', segment: `${SEGMENTS}/${names[1]}`, offset });
    expect(bytes[offset + found!.sizeBytes - 1]).toBe(10);
  });

  test('one that can not be unpacked is one place, and the others are still read', async () => {
    const { directory, names } = await damaged();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = readFileSync(path);
    for (const change of [
      bytes.subarray(0, bytes.length / 2),
      Buffer.from('not packed at all'),
      Buffer.alloc(0),
    ]) {
      writeFileSync(path, change);
      const { damage, lastSeq, verified } = await verifyOne(directory);
      expect(damage).toMatchObject([
        { kind: 'segment-unreadable', segment: `${SEGMENTS}/${names[1]}`, sizeBytes: change.length },
      ]);
      const [, first, last] = /^0*(\d+)-0*(\d+)/.exec(names[1]!)!;
      expect([verified, lastSeq]).toEqual([49 - (Number(last) - Number(first) + 1), 49]);
    }
  });

  test('one that is not there leaves a hole, at the beginning as in the middle', async () => {
    for (const gone of [0, 1]) {
      const { directory, names } = await damaged();
      rmSync(join(directory, SEGMENTS, names[gone]!));
      const [, from, to] = /^0*(\d+)-0*(\d+)/.exec(names[gone]!)!;
      expect((await verifyOne(directory)).damage).toMatchObject([
        {
          kind: 'missing-segment',
          segment: `${SEGMENTS}/${names[gone + 1]}`,
          reason: `entries ${from} to ${to} are missing before it, and nothing says why`,
        },
      ]);
    }
  });

  test('one that ends before its name says is told where no line of ours behind it can', async () => {
    const { directory, names } = await damaged();
    rmSync(join(directory, '.holdfast/heads/one.head'));
    const path = join(directory, SEGMENTS, names.at(-1)!);
    const [first = 0, end = 0] = names
      .at(-1)!
      .match(/\d{12}/g)!
      .map(Number);
    const bytes = gunzipSync(readFileSync(path));
    writeFileSync(path, gzipSync(bytes.subarray(0, bytes.indexOf(10) + 1)));
    expect((await verifyOne(directory)).damage).toMatchObject([{ kind: 'link', seq: end + 1 }]);
    const missing = `entries ${first + 1} to ${end} are missing`;
    writeFileSync(join(directory, 'one.jsonl'), `garbage\n${foreignLine({})}\n`);
    expect((await verifyOne(directory)).damage).toMatchObject([
      { kind: 'missing-segment', seq: first + 1, reason: `${missing} at the end` },
    ]);
    rmSync(join(directory, 'one.jsonl'));
    expect((await verifyOne(directory)).damage).toMatchObject([
      { kind: 'missing-segment', seq: first + 1, reason: `${missing} at the end` },
    ]);
    writeHead(directory, end, 'x'.repeat(22));
    writeFileSync(join(directory, 'one.jsonl'), `${foreignLine({})}\n`);
    expect((await verifyOne(directory)).damage).toMatchObject([
      { kind: 'missing-segment', seq: end + 1, reason: `${missing} before it, and nothing says why` },
      { kind: 'lost-tail' },
    ]);
  });

  test('what retention dropped is a note, also where a crash came between saying and doing it', async () => {
    const directory = tempDirectory();
    await writeSegments(directory, 80);
    const names = sealed(directory);
    const kept = names.map((name) => [name, readFileSync(join(directory, SEGMENTS, name))] as const);
    await writeSegments(directory, 5, { retention: { maxAgeDays: null, maxBytes: 1_500 } });
    const dropped = kept.filter(([name]) => !sealed(directory).includes(name));
    expect(dropped.length).toBeGreaterThan(2);
    expect(await verifyOne(directory)).toMatchObject({ damage: [], notes: [{ kind: 'dropped-segments' }] });
    // Dropped in order, but for the last; and the other way round.
    const last = dropped.at(-1)!;
    writeFileSync(join(directory, SEGMENTS, last[0]), last[1]);
    expect(kinds((await verifyOne(directory)).notes)).toEqual(['dropped-segments']);
    expect((await verifyOne(directory)).damage).toEqual([]);
    rmSync(join(directory, SEGMENTS, last[0]));
    writeFileSync(join(directory, SEGMENTS, dropped[0]![0]), dropped[0]![1]);
    expect((await verifyOne(directory)).damage).toEqual([]);
    for (const [name, bytes] of dropped) writeFileSync(join(directory, SEGMENTS, name), bytes);
    expect(await verifyOne(directory)).toMatchObject({ damage: [], notes: [] });
  });

  test('dropping more than was said is damage', async () => {
    const directory = tempDirectory();
    await writeSegments(directory, 80);
    await writeSegments(directory, 5, { retention: { maxAgeDays: null, maxBytes: 1_500 } });
    rmSync(join(directory, SEGMENTS, sealed(directory)[0]!));
    expect(kinds((await verifyOne(directory)).damage)).toEqual(['missing-segment']);
  });

  test('one that lies there packed and unpacked, or as the active one too, counts once', async () => {
    const { directory, names } = await damaged();
    const path = join(directory, SEGMENTS, names[1]!);
    writeFileSync(path.slice(0, -'.gz'.length), gunzipSync(readFileSync(path)));
    expect(await verifyOne(directory)).toMatchObject({ damage: [], verified: 49 });
    // Sealing was taken back, and a crash came before the sealed one was removed.
    copyFileSync(join(directory, SEGMENTS, names.at(-1)!), join(directory, 'packed'));
    rmSync(join(directory, '.holdfast/heads'), { recursive: true });
    writeFileSync(join(directory, 'one.jsonl'), gunzipSync(readFileSync(join(directory, 'packed'))));
    const { damage, lastSeq } = await verifyOne(directory);
    expect(damage).toEqual([]);
    expect(lastSeq).toBe(Number(/-0*(\d+)/.exec(names.at(-1)!)![1]));
  });

  test('an active one from an older copy does not fit behind newer sealed ones', async () => {
    const { directory, names } = await damaged();
    rmSync(join(directory, '.holdfast/heads'), { recursive: true });
    writeFileSync(
      join(directory, 'one.jsonl'),
      gunzipSync(readFileSync(join(directory, SEGMENTS, names[0]!))),
    );
    expect((await verifyOne(directory)).damageCount).toBeGreaterThan(0);
  });
});
