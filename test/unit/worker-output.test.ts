import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { followWorkerOutput, readWorkerOutput, type OutputPage } from '../../core/host/read-worker-output.ts';
import { outputSinks } from '../../core/host/keep-output.ts';
import type { OutputLine } from '../../core/host/output-files.ts';
import { outputSink, type OutputSinkOptions } from '../../core/host/worker-output.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import type { AppError } from '../../core/model/errors.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { tinyDisk } from '../support/tiny-disk.ts';
import { waitFor } from '../support/wait-for.ts';

const PROCESS = 'mail/triage';
const folderIn = (directory: string): string => join(directory, '.holdfast/output/mail_triage');
const line = (text: string): Omit<OutputLine, 'at'> => ({ generation: 1, stream: 'out', text });
const newest = (directory: string, limit = 100): OutputPage =>
  readWorkerOutput(directory, PROCESS, { limit, before: null });
const texts = (page: OutputPage): string[] => page.lines.map(({ text }) => text);

/** A sink whose time is the test's own, so that a flood is as long as it says. */
function timedSink(directory: string, options: OutputSinkOptions = {}) {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  return outputSink(directory, PROCESS, options);
}

/** The local disk, whose writes fail while they are told to. */
function failingDisk(): Disk & { code: 'ENOSPC' | 'EACCES' | null; mayTruncate: boolean } {
  const disk = {
    ...LOCAL_DISK,
    code: null as 'ENOSPC' | 'EACCES' | null,
    mayTruncate: true,
    write: (...call: Parameters<Disk['write']>): number => {
      if (disk.code === null) return LOCAL_DISK.write(...call);
      const [fd, bytes, offset, length, position] = call;
      // A full disk takes a part first.
      if (length > 10) return LOCAL_DISK.write(fd, bytes, offset, 10, position);
      throw Object.assign(new Error(`${disk.code}: refused`), { code: disk.code });
    },
    truncate: (...call: Parameters<Disk['truncate']>): void => {
      if (!disk.mayTruncate) throw new Error('EIO');
      LOCAL_DISK.truncate(...call);
    },
  };
  return disk;
}

describe('what is written', () => {
  test('[J10] stands in a private file, one line of JSON for each, in order', () => {
    const directory = tempDirectory();
    {
      using sink = outputSink(directory, PROCESS, { now: () => 0 });
      sink.write(line('one'));
      sink.write({ generation: 2, stream: 'log', level: 'warning', eventId: 'event-1', text: 'two' });
    }
    const file = join(folderIn(directory), '1.jsonl');
    expect(readFileSync(file, 'utf8')).toBe(
      '{"at":"1970-01-01T00:00:00.000+00:00","generation":1,"stream":"out","text":"one"}\n' +
        '{"at":"1970-01-01T00:00:00.000+00:00","generation":2,"stream":"log","level":"warning","eventId":"event-1","text":"two"}\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folderIn(directory)).mode & 0o777).toBe(0o700);
    expect(newest(directory)).toMatchObject({ unreadable: 0, before: null });
    expect(texts(newest(directory))).toEqual(['one', 'two']);
  });

  test('holds no control character as it is, gives every one back, and is cut between two characters', () => {
    const directory = tempDirectory();
    const nasty = '\u0000\u001b[2J\u007f\u009b\u2028\ud800 ok';
    {
      using sink = outputSink(directory, PROCESS);
      sink.write(line(nasty));
      sink.write(line('é'.repeat(20_000)));
      sink.write(line('😀'.repeat(20_000)));
    }
    const raw = readFileSync(join(folderIn(directory), '1.jsonl'), 'latin1');
    expect(raw.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f]/);
    const [first, second, third] = texts(newest(directory));
    expect(first).toBe(nasty);
    for (const cut of [second!, third!]) {
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(16 * 1024);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(16 * 1024 - 10);
      expect(cut).toMatch(/^(é+|(😀)+)…$/u);
    }
  });

  test('is scrubbed before it is cut, so that no half of a secret stays', () => {
    const directory = tempDirectory();
    {
      using sink = outputSink(directory, PROCESS, { scrub: (text) => text.replaceAll('SECRET', '[key]') });
      sink.write(line(`${'x'.repeat(16 * 1024 - 6)}SECRET`));
    }
    expect(texts(newest(directory))[0]).not.toMatch(/SEC/);
  });

  test('lies in files of at most 1 MiB, of which the last eight are kept', () => {
    const directory = tempDirectory();
    const sink = timedSink(directory);
    // As fast as is kept for ever: nothing is dropped.
    for (let at = 0; at < 900; at += 1) {
      sink.write(line(`${at} ${'x'.repeat(12_000)}`));
      vi.advanceTimersByTime(100);
    }
    sink[Symbol.dispose]();
    const files = readdirSync(folderIn(directory));
    expect(files).toHaveLength(8);
    for (const file of files) {
      expect(statSync(join(folderIn(directory), file)).size).toBeLessThanOrEqual(1024 * 1024);
    }
    expect(texts(newest(directory, 1))[0]).toMatch(/^899 /);
    expect(texts(newest(directory)).join()).not.toContain('dropped');
  });

  test('goes on where an earlier host stopped, and leaves half a line of it as it is', () => {
    const directory = tempDirectory();
    for (const text of ['one', 'two']) {
      using sink = outputSink(directory, PROCESS);
      sink.write(line(text));
    }
    expect(readdirSync(folderIn(directory))).toEqual(['1.jsonl']);
    appendFileSync(join(folderIn(directory), '1.jsonl'), '{"at":"19');
    {
      using sink = outputSink(directory, PROCESS);
      sink.write(line('three'));
    }
    expect(readFileSync(join(folderIn(directory), '1.jsonl'), 'utf8')).toMatch(/\{"at":"19$/);
    expect(texts(newest(directory))).toEqual(['one', 'two', 'three']);
  });

  test('[J9] a name that leads elsewhere is refused', () => {
    const directory = tempDirectory();
    expect(() => outputSink(directory, '..')).toThrow(/not a name that a folder can have/);
    expect(() => readWorkerOutput(directory, '..', { limit: 1, before: null })).toThrow(/name/);
    using sinks = outputSinks(directory);
    expect(sinks.of('..')).toBeNull();
    expect(sinks.of(PROCESS)).toBe(sinks.of(PROCESS));
  });
});

describe('a flood', () => {
  test('is kept as far as there is room, and what is dropped is counted and said', () => {
    const directory = tempDirectory();
    const sink = timedSink(directory);
    let lines = 0;
    while (sink.hasRoom()) {
      sink.write(line('x'.repeat(1_000)));
      lines += 1;
    }
    sink.dropped(1, 'out', 41);
    sink.write(line('lost'));
    vi.advanceTimersByTime(2_000);
    expect(sink.hasRoom()).toBe(true);
    sink.write(line('after'));
    sink[Symbol.dispose]();
    expect(lines).toBeLessThan(1_100);
    expect(texts(newest(directory, 2))).toEqual(['… 42 lines dropped', 'after']);
  });

  test('that goes on and on takes a bounded room for each second', () => {
    const directory = tempDirectory();
    const sink = timedSink(directory);
    let bytes = 0;
    for (let ms = 0; ms < 20_000; ms += 10) {
      for (let at = 0; at < 20; at += 1) {
        if (sink.hasRoom()) bytes += 1_100;
        sink.write(line('x'.repeat(1_000)));
      }
      vi.advanceTimersByTime(10);
    }
    sink[Symbol.dispose]();
    expect(bytes).toBeLessThan(1024 * 1024 + 21 * 128 * 1024);
    expect(bytes).toBeGreaterThan(1024 * 1024 + 15 * 128 * 1024);
  });
});

describe('a disk that takes nothing', () => {
  test.each([true, false])(
    'is told once, the last 64 KiB wait, and go there when it takes them again (cut back: %s)',
    (mayTruncate) => {
      const directory = tempDirectory();
      const disk = failingDisk();
      disk.mayTruncate = mayTruncate;
      const troubles: AppError[] = [];
      const sink = timedSink(directory, { disk, onTrouble: (trouble) => void troubles.push(trouble) });
      sink.write(line('before'));
      sink.flush();
      disk.code = 'ENOSPC';
      for (let at = 0; at < 100; at += 1) {
        sink.write(line(`${at} ${'x'.repeat(2_000)}`));
        vi.advanceTimersByTime(200);
      }
      expect(troubles).toHaveLength(1);
      expect(troubles[0]).toMatchObject({ code: 'output.unwritable', detail: { code: 'ENOSPC' } });
      disk.code = null;
      vi.advanceTimersByTime(3_000);
      sink.write(line('after'));
      sink.flush();
      const { lines, unreadable } = newest(directory);
      const kept = lines.map(({ text }) => text);
      expect(kept[0]).toBe('before');
      expect(kept.at(-1)).toBe('after');
      const numbers = kept.filter((text) => /^\d+ x/.test(text)).map((text) => Number.parseInt(text, 10));
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => 100 - numbers.length + at));
      expect(numbers.length).toBeGreaterThan(25);
      expect(kept[1]).toBe(`… ${100 - numbers.length} lines dropped`);
      expect(unreadable).toBe(0);
      disk.code = 'EACCES';
      sink.write(line('again'));
      sink.flush();
      expect(troubles).toHaveLength(2);
      disk.code = null;
      sink[Symbol.dispose]();
    },
  );

  test('as a folder that can not be made is one: nothing is thrown', () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, '.holdfast'), 'a file, not a folder');
    const troubles: AppError[] = [];
    {
      using sink = outputSink(directory, PROCESS, { onTrouble: (trouble) => void troubles.push(trouble) });
      sink.write(line('lost'));
    }
    expect(troubles.map(({ code }) => code)).toEqual(['output.unwritable']);
  });

  test('a file system that is really full', (context) => {
    const tiny = tinyDisk(256 * 1024);
    if (typeof tiny === 'string') return context.skip(tiny);
    const troubles: AppError[] = [];
    const sink = outputSink(tiny.directory, PROCESS, { onTrouble: (trouble) => void troubles.push(trouble) });
    sink.write(line('before'));
    sink.flush();
    const release = tiny.fill();
    for (let at = 0; at < 10; at += 1) sink.write(line(`${at} ${'x'.repeat(10_000)}`));
    sink.flush();
    expect(troubles.map(({ code }) => code)).toEqual(['output.unwritable']);
    release();
    sink[Symbol.dispose]();
    const { lines, unreadable } = newest(tiny.directory);
    expect(lines[0]!.text).toBe('before');
    expect(lines[1]!.text).toMatch(/^… \d+ lines dropped$/);
    expect(lines.at(-1)!.text).toMatch(/^9 /);
    expect(unreadable).toBe(0);
  });
});

describe('reading', () => {
  const written = (count: number, size = 10): string => {
    const directory = tempDirectory();
    const sink = timedSink(directory);
    for (let at = 0; at < count; at += 1) {
      sink.write(line(`${at} ${'x'.repeat(size)}`));
      vi.advanceTimersByTime(Math.ceil(size / 100));
    }
    sink[Symbol.dispose]();
    vi.useRealTimers();
    return directory;
  };
  const numbersOf = (page: OutputPage): number[] => texts(page).map((text) => Number.parseInt(text, 10));

  test('page by page, over files, every line comes once', () => {
    const directory = written(400, 8_000);
    expect(readdirSync(folderIn(directory)).length).toBeGreaterThan(2);
    const seen: number[] = [];
    for (let before: string | null = null, pages = 0; pages < 100; pages += 1) {
      const page: OutputPage = readWorkerOutput(directory, PROCESS, { limit: 37, before });
      seen.unshift(...numbersOf(page));
      before = page.before;
      if (before === null) break;
    }
    expect(seen).toEqual(Array.from({ length: 400 }, (_, at) => at));
  });

  test('a process that never wrote has an empty page', () => {
    expect(newest(tempDirectory())).toEqual({ lines: [], unreadable: 0, before: null, next: '0:0' });
  });

  test('lines that are no output are counted, and a place that is none is refused', () => {
    const directory = written(3);
    appendFileSync(join(folderIn(directory), '1.jsonl'), 'nonsense\n{"at":1}\n[]\n\nnull\nhalf');
    expect(newest(directory)).toMatchObject({ unreadable: 5 });
    expect(numbersOf(newest(directory))).toEqual([0, 1, 2]);
    expect(() => readWorkerOutput(directory, PROCESS, { limit: 1, before: '../1:0' })).toThrow(/no place/);
  });

  test('[P6] following begins where a page ended, crosses into new files, and tells what was removed', async () => {
    const directory = tempDirectory();
    const seen: string[] = [];
    let next = '0:0';
    let gaps = 0;
    const follow = (from: string): Disposable =>
      followWorkerOutput(directory, PROCESS, from, {
        onLines: (lines, place) => {
          seen.push(...lines.map(({ text }) => text));
          next = place;
        },
        onGap: () => {
          gaps += 1;
        },
        onTrouble: (error) => {
          throw error;
        },
      });
    // Before there is a folder.
    const following = follow(newest(directory).next);
    const folder = folderIn(directory);
    {
      using sink = outputSink(directory, PROCESS);
      sink.write(line('one'));
    }
    await waitFor(() => seen.includes('one'), { what: 'the first line' });
    appendFileSync(join(folder, '1.jsonl'), '{"at":"","generation":1,"stream":"err","te');
    appendFileSync(join(folder, '1.jsonl'), 'xt":"two"}\n');
    writeFileSync(join(folder, '2.jsonl'), '{"at":"","generation":1,"stream":"err","text":"three"}\n');
    await waitFor(() => seen.includes('three'), { what: 'the next file' });
    expect(seen).toEqual(['one', 'two', 'three']);
    following[Symbol.dispose]();
    writeFileSync(join(folder, '4.jsonl'), '{"at":"","generation":1,"stream":"err","text":"four"}\n');
    for (const file of ['1', '2']) rmSync(join(folder, `${file}.jsonl`));
    using _again = follow(next);
    expect(seen).toEqual(['one', 'two', 'three', 'four']);
    expect(gaps).toBe(1);
  });

  test('a folder of somebody else’s files is no trouble', () => {
    const directory = written(1);
    mkdirSync(join(folderIn(directory), '9.jsonl.d'));
    writeFileSync(join(folderIn(directory), 'notes.txt'), 'x');
    expect(numbersOf(newest(directory))).toEqual([0]);
  });
});
