// J1 to J4: what a line looks like, and what a reader makes of lines that look otherwise.

import { describe, expect, test } from 'vitest';
import { crc32 } from 'node:zlib';
import { createHash } from 'node:crypto';
import {
  decodeLine,
  encodeLine,
  encodeText,
  FIRST_PREV,
  hashLine,
  parseLine,
  recordedSeq,
  sealBatch,
  stringify,
  verifyLine,
} from '../../core/journal/codec.ts';
import { RawNumber, type Json, type JsonObject } from '../../core/model/json.ts';
import { parseTimestamp } from '../../core/model/time.ts';
import { fileOf, fixedEntry, foreignLine, ourLines, update } from '../support/journal-bytes.ts';

const keys = { seq: 7, ack: 6, prev: FIRST_PREV };
const encode = (data: JsonObject): Buffer =>
  encodeLine(fixedEntry({ process_id: 'one', entry_type: 'log', data }), keys);

describe('a line of ours [J1]', () => {
  test('has the nine keys in their order, compact, and the four of ours last', () => {
    expect(encode({ text: 'x', nested: { b: 1, a: [true, null] } }).toString()).toMatch(
      new RegExp(
        '^\\{"entry_id":"entry-0","process_id":"one","timestamp":"2026-01-05T09:00:00\\.000\\+00:00",' +
          '"entry_type":"log","data":\\{"text":"x","nested":\\{"b":1,"a":\\[true,null\\]\\}\\},' +
          '"seq":7,"ack":6,"prev":"A{22}","crc":"[0-9a-f]{8}"\\}$',
      ),
    );
  });

  test('is ASCII, escaped as Python does it: lower case, astral characters as pairs, DEL as it is', () => {
    const line = encode({
      'clé 📦': 'é\u0080\u2028\uffff\u007f',
      half: '\ud83d',
      control: '\u0000\u001f"\\/',
    });
    expect(line.every((byte) => byte < 0x80)).toBe(true);
    expect(line.includes(10)).toBe(false);
    expect(line.toString()).toContain('"cl\\u00e9 \\ud83d\\udce6":"\\u00e9\\u0080\\u2028\\uffff\u007f"');
    expect(line.toString()).toContain('"half":"\\ud83d","control":"\\u0000\\u001f\\"\\\\/"');
  });

  test('ends in a tail of fixed width: prev of 22 characters, crc of 8 hex digits over all before it', () => {
    for (const text of ['', 'x', 'long '.repeat(1000), '📦']) {
      const line = encode({ text });
      const body = line.subarray(0, -18);
      const crc = crc32(body).toString(16).padStart(8, '0');
      expect(line.subarray(-18).toString()).toBe(`,"crc":"${crc}"}`);
    }
  });

  test('a checksum with leading zeros keeps its eight digits', () => {
    let line = encode({ n: 0 });
    for (let n = 1; !line.subarray(-10).toString().startsWith('00'); n += 1) line = encode({ n });
    expect(decodeLine(line)).toMatchObject({ ok: true, verification: 'verified' });
  });

  test('names the line before by the first 22 characters of base64url SHA-256 of its bytes', () => {
    const [first, second] = ourLines([update('a', 1), update('a', 2)]) as [Buffer, Buffer];
    const expected = createHash('sha256').update(first).digest('base64url').slice(0, 22);
    expect(hashLine(first)).toBe(expected);
    expect(decodeLine(second, expected)).toMatchObject({
      ok: true,
      verification: 'verified',
      keys: { seq: 2, ack: 1, prev: expected },
    });
    expect(FIRST_PREV).toBe('A'.repeat(22));
  });

  test('linked to another line than the one before it is broken', () => {
    const [first, second] = ourLines([update('a', 1), update('a', 2)]) as [Buffer, Buffer];
    expect(decodeLine(second, FIRST_PREV)).toMatchObject({ ok: true, verification: 'broken' });
    expect(decodeLine(first, FIRST_PREV)).toMatchObject({ ok: true, verification: 'verified' });
  });

  test('every single flipped bit is noticed: broken or unreadable, never accepted', () => {
    const [, line] = ourLines([update('a', 1), update('b', ['é', 12.5, { deep: null }])]) as [Buffer, Buffer];
    const accepted: string[] = [];
    for (let bit = 0; bit < line.length * 8; bit += 1) {
      const flipped = Buffer.from(line);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const decoded = decodeLine(flipped);
      if (decoded.ok && decoded.verification !== 'broken') accepted.push(`${bit}: ${flipped.toString()}`);
    }
    expect(accepted).toEqual([]);
  });

  test('written in a batch are the same bytes as one by one, chained on from the line before [J1, S11]', () => {
    const entries = Array.from({ length: 5 }, (_, at) => fixedEntry(update(`clé ${at}`, ['📦', at]), at));
    let prev = hashLine(encode({ text: 'the line before' }));
    const first = { seq: 41, ack: 39, prev };
    const lines = entries.map((entry, at) => {
      const line = encodeLine(entry, { seq: 41 + at, ack: 39, prev });
      prev = hashLine(line);
      return line;
    });
    const batch = sealBatch(entries.map(encodeText), first);
    expect(batch.bytes.equals(fileOf(lines))).toBe(true);
    expect(batch.sizes).toEqual(lines.map((line) => line.length + 1));
    expect(batch.prev).toBe(prev);
    expect(sealBatch([], first)).toEqual({ bytes: Buffer.alloc(0), sizes: [], prev: first.prev });
  });

  test('hashes as its text does, whatever is in it', () => {
    for (const text of [encode({ a: 1 }).toString(), foreignLine({ data: { text: 'é 📦 \ufffd' } }), '']) {
      expect(hashLine(text)).toBe(hashLine(Buffer.from(text)));
    }
  });

  test('can be read first and checked later, and is not called verified before', () => {
    const [first, second] = ourLines([update('a', 1), update('a', 2)]) as [Buffer, Buffer];
    const parsed = parseLine(second);
    if (!parsed.ok) throw new Error(parsed.reason);
    expect(parsed).not.toHaveProperty('verification');
    expect(parsed.entry.data).toEqual({ key: 'a', value: 2 });
    const keys = { seq: 2, ack: 1, prev: hashLine(first) };
    expect(verifyLine(parsed)).toEqual({ keys, verification: 'verified', fault: null });
    expect(verifyLine(parsed, keys.prev)).toEqual({ keys, verification: 'verified', fault: null });
    expect(verifyLine(parsed, FIRST_PREV)).toEqual({ keys, verification: 'broken', fault: 'link' });
    const changed = parseLine(Buffer.from(second.toString().replace('"value":2', '"value":3')));
    if (!changed.ok) throw new Error(changed.reason);
    expect(verifyLine(changed, keys.prev)).toEqual({ keys, verification: 'broken', fault: 'checksum' });
  });

  test('tells its number by its end alone, but only where the checksum holds', () => {
    const line = encode({ seq: 1, text: '"seq":9,"ack":9' });
    expect(recordedSeq(line)).toBe(7);
    expect(recordedSeq(Buffer.from(line.toString().replace('"seq":7', '"seq":8')))).toBeNull();
    expect(recordedSeq(line.subarray(0, -1))).toBeNull();
    expect(recordedSeq(line.subarray(-60))).toBeNull();
    expect(recordedSeq(Buffer.from(foreignLine({})))).toBeNull();
    expect(recordedSeq(Buffer.alloc(0))).toBeNull();
  });

  test('with a number that no double holds is broken, and vouches for no place', () => {
    const keyed = encode({}).toString().slice(0, -18).replace('"seq":7', '"seq":12345678901234567890');
    const line = Buffer.from(`${keyed},"crc":"${crc32(keyed).toString(16).padStart(8, '0')}"}`);
    expect(decodeLine(line)).toMatchObject({ ok: true, keys: null, fault: 'checksum' });
    expect(recordedSeq(line)).toBeNull();
  });

  test('cut anywhere it is unreadable', () => {
    const [line] = ourLines([update('a', 'value')]) as [Buffer];
    for (let length = 0; length < line.length; length += 1) {
      expect(decodeLine(line.subarray(0, length)).ok, `first ${length} bytes`).toBe(false);
    }
  });
});

describe('what JSON would change without a word is refused', () => {
  test.each<[string, Json, string]>([
    ['NaN', Number.NaN, 'data.at.0 is NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'data.at.0 is Infinity'],
    ['-Infinity', Number.NEGATIVE_INFINITY, 'data.at.0 is -Infinity'],
    ['a raw NaN', new RawNumber('NaN'), 'NaN is not JSON'],
  ])('%s', (_name, value, message) => {
    expect(() => stringify({ data: { at: [value] } })).toThrow(
      expect.objectContaining({
        code: 'journal.not-json',
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });

  test('a value that holds itself, with a reason', () => {
    const data: Record<string, Json> = {};
    data['self'] = data;
    expect(() => encode(data)).toThrow(expect.objectContaining({ code: 'journal.not-json' }) as Error);
  });

  test('a nesting that no reader could take back', () => {
    let deep: Json = 1;
    for (let level = 0; level < 2_000; level += 1) deep = [deep];
    expect(() => encode({ deep })).toThrow(expect.objectContaining({ code: 'journal.not-json' }) as Error);
  });

  test('brackets in texts and side by side nest nothing', () => {
    const data = { text: '[{'.repeat(2_000), list: Array.from({ length: 2_000 }, () => [{}]) };
    expect(decodeLine(encode(data))).toMatchObject({ ok: true, entry: { data } });
  });

  test('a nesting is allowed to the level, and refused above it; a checkpoint, which wraps it, may be deeper', () => {
    const nested = (levels: number): Json => {
      let deep: Json = [];
      for (let level = 1; level < levels; level += 1) deep = [deep];
      return deep;
    };
    // The line and its data are two levels.
    const entry = (entry_type: string, levels: number) =>
      fixedEntry({ process_id: 'one', entry_type, data: { deep: nested(levels) } });
    expect(decodeLine(encodeLine(entry('log', 398), keys)).ok).toBe(true);
    expect(() => encodeText(entry('log', 399))).toThrow(/nested deeper than 400/);
    expect(decodeLine(encodeLine(entry('checkpoint', 998), keys)).ok).toBe(true);
    expect(() => encodeText(entry('checkpoint', 999))).toThrow(/nested deeper than 1000/);
    const tooDeep = encodeLine(entry('checkpoint', 998), keys).toString().replace('[]', '[[]]');
    expect(decodeLine(Buffer.from(tooDeep))).toMatchObject({ ok: false });
  });

  test('null itself is fine', () => {
    expect(decodeLine(encode({ nothing: null }))).toMatchObject({ entry: { data: { nothing: null } } });
  });
});

describe('a line of Promptise [J2]', () => {
  test('is accepted and unverified, with its spaces, any order of keys, and keys that nobody knows', () => {
    const line =
      '{"data": {"key": "k", "value": 1.0}, "entry_type": "context_update", "checksum": "c0ffee", "seq": 3, ' +
      '"timestamp": "2026-01-05T09:00:00.125000+00:00", "process_id": "one", "entry_id": ""}';
    expect(decodeLine(Buffer.from(line))).toEqual({
      ok: true,
      entry: {
        entry_id: '',
        process_id: 'one',
        timestamp: '2026-01-05T09:00:00.125000+00:00',
        entry_type: 'context_update',
        data: { key: 'k', value: 1 },
      },
      keys: null,
      verification: 'unverified',
      fault: null,
    });
  });

  test('may lack every key but the time; what has the wrong type counts as absent', () => {
    for (const line of [
      '{"timestamp": "2026-01-05T09:00:00Z"}',
      '{"timestamp": "2026-01-05T09:00:00Z", "entry_id": 5, "process_id": null, "entry_type": [], "data": "x"}',
    ]) {
      expect(decodeLine(Buffer.from(line))).toMatchObject({
        ok: true,
        entry: { entry_id: '', process_id: '', entry_type: '', data: {} },
        verification: 'unverified',
      });
    }
  });

  test('with NaN and the infinities as bare tokens is read, and its words stay words', () => {
    const line = foreignLine({ data: { key: 'k', value: '@' } }).replace(
      '"@"',
      '[NaN, Infinity, -Infinity, "NaN", "-Infinity \\" NaN"]',
    );
    expect(decodeLine(Buffer.from(line))).toMatchObject({
      entry: {
        data: {
          value: [
            new RawNumber('NaN'),
            new RawNumber('Infinity'),
            new RawNumber('-Infinity'),
            'NaN',
            '-Infinity " NaN',
          ],
        },
      },
    });
  });

  test('with the character that stands for bytes that are no text is read: it is one', () => {
    expect(decodeLine(Buffer.from(foreignLine({ data: { text: 'a\ufffdb é' } })))).toMatchObject({
      ok: true,
      entry: { data: { text: 'a\ufffdb é' } },
    });
  });

  test.each<[string, boolean]>([
    ['2026-02-28T23:59:59.999+00:00', true],
    ['2024-02-29T00:00:00.000+00:00', true],
    ['2026-12-31T00:00:00.000+00:00', true],
    ['2026-01-31T00:00:00.000+00:00', true],
    ['2026-04-30T00:00:00.000+00:00', true],
    ['2026-01-05T09:00:00.000+01:00', true],
    ['2026-01-05 09:00:00,5', true],
    ['2026-01-00T00:00:00.000+00:00', false],
    ['2026-02-29T00:00:00.000+00:00', false],
    ['2024-02-30T00:00:00.000+00:00', false],
    ['2026-04-31T00:00:00.000+00:00', false],
    ['0000-01-05T00:00:00.000+00:00', false],
    ['2026-01-05T24:00:00.000+00:00', false],
    ['2026-00-01T00:00:00.000+00:00', false],
    ['2026-01-32T00:00:00.000+00:00', false],
    ['2026-01-05T25:00:00.000+00:00', false],
    ['2026-01-05T09:60:00.000+00:00', false],
    ['2026-01-05T09:00:60.000+00:00', false],
  ])('%s is a time: %s [J3]', (timestamp, isTime) => {
    expect(decodeLine(Buffer.from(foreignLine({ timestamp }))).ok).toBe(isTime);
    expect(parseTimestamp(timestamp) !== null).toBe(isTime);
  });

  test('a key called __proto__ is a key', () => {
    const decoded = decodeLine(Buffer.from(foreignLine({}).replace('{}', '{"__proto__": {"polluted": 1}}')));
    expect(decoded.ok && Object.keys(decoded.entry.data)).toEqual(['__proto__']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('a bad line says why, and never throws', () => {
  const good = foreignLine({});
  const hostile: readonly (readonly [string, Buffer | string, RegExp])[] = [
    ['nothing at all', '', /not JSON/],
    ['blanks', ' \t ', /not JSON/],
    ['null', 'null', /not an object/],
    ['a list', '[1, 2]', /not an object/],
    ['a text', '"text"', /not an object/],
    ['a number', '12', /not an object/],
    ['a bare NaN', 'NaN', /not an object/],
    ['an object without a time', '{"entry_type": "log"}', /has no timestamp/],
    ['a time that is no text', '{"timestamp": 1767603600}', /has no timestamp/],
    ['a time that is none', foreignLine({ timestamp: 'yesterday' }), /not a time: yesterday/],
    ['a day that no month has', foreignLine({ timestamp: '2026-13-45T00:00:00+00:00' }), /not a time/],
    ['a very long time', foreignLine({ timestamp: 'x'.repeat(10_000) }), /^.{1,160}$/],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(good), Buffer.from([0xff])]), /not UTF-8/],
    ['an overlong encoding', Buffer.from([0x7b, 0xc0, 0x80, 0x7d]), /not UTF-8/],
    ['a run of NUL', Buffer.alloc(512), /NUL bytes/],
    ['NUL behind a good line', `${good}\u0000\u0000`, /NUL bytes/],
    ['a byte order mark', `\ufeff${good}`, /not JSON/],
    ['half a line', good.slice(0, 40), /not JSON/],
    ['two lines in one', good + good, /not JSON/],
    ['a single quote', good.replaceAll('"', "'"), /not JSON/],
    ['a token for a key', '{NaN: 1, "timestamp": "2026-01-05T09:00:00Z"}', /not JSON/],
    ['a token glued to a text', foreignLine({}).replace('{}', '{"a": "b"NaN}'), /not JSON/],
    ['minus NaN', foreignLine({}).replace('{}', '{"a": -NaN}'), /not JSON/],
    ['a nesting of 100,000', `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /nested/],
    ['an unfinished text of a megabyte with a token', `{"a": NaN, "b": "${'x'.repeat(1e6)}`, /not JSON/],
  ];

  test.each(hostile)('%s', (_name, line, reason) => {
    const decoded = decodeLine(Buffer.from(line));
    expect(decoded).toMatchObject({ ok: false });
    expect(decoded.ok ? '' : decoded.reason).toMatch(reason);
  });

  test('a text of 4 MB beside a NaN is read', () => {
    const line = foreignLine({ data: { text: '\\"x'.repeat(1 << 20) } }).replace(
      '"text"',
      '"n": NaN, "text"',
    );
    expect(decodeLine(Buffer.from(line)).ok).toBe(true);
  });
});
