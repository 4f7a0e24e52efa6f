// J9: names map to files as Promptise maps them, and two names never share one. J10: nobody else may look.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { codeOf } from '../../core/model/errors.ts';
import { checkName, entriesFile, safeName } from '../../core/journal/process-files.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { startNode } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const collides = { code: 'journal.name-collision' };

describe('[J9] the file of a process', () => {
  test.each([
    ['market-watcher', 'market-watcher.jsonl'],
    ['team/a b', 'team_a b.jsonl'],
    ['a\\b', 'a_b.jsonl'],
    ['../../etc/passwd', '.._.._etc_passwd.jsonl'],
    ['..', '...jsonl'],
    ['Größe 📦', 'Größe 📦.jsonl'],
    ['x'.repeat(300), `${'x'.repeat(200)}.jsonl`],
    ['📦'.repeat(250), `${'📦'.repeat(200)}.jsonl`],
  ])('%s', (name, file) => {
    expect(entriesFile(name)).toBe(file);
  });

  test.each([
    ['', 'is empty'],
    ['a\u0000b', 'NUL'],
    ['ü'.repeat(120), '255 bytes'],
    ['📦'.repeat(60), '255 bytes'],
  ])('no file can be called %j', async (name, why) => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await expect(journal.append(update('n', 1, name))).rejects.toMatchObject({
      code: 'journal.name-unsupported',
      message: expect.stringContaining(why) as string,
    });
    expect(readdirSync(directory).filter((file) => file.endsWith('.jsonl'))).toEqual([]);
    await journal.close();
  });

  test.each(['con', 'CON.txt', 'a:b', 'what?', 'ends.', 'ends ', 'a|b'])(
    'Windows can not hold %j, and every other system can',
    (name) => {
      expect(() => checkName(name, 'win32')).toThrow(
        expect.objectContaining({ code: 'journal.name-unsupported' }) as Error,
      );
      expect(() => checkName(name, 'linux')).not.toThrow();
    },
  );

  test('a name that others wrote and we would not is still read [P8]', async () => {
    const directory = tempDirectory();
    const name = 'ü'.repeat(122);
    expect(() => checkName(name)).toThrow('255 bytes');
    writeFileSync(join(directory, `${safeName(name)}.jsonl`), fileOf([foreignLine({ process_id: name })]));
    const journal = readFileJournal(directory);
    expect(await journal.processes()).toEqual([name]);
    expect((await journal.readLast(name, 5)).entries).toHaveLength(1);
    expect(await journal.lastCheckpoint(name)).toBeNull();
  });
});

describe('[J9] two names and one file', () => {
  const PAIRS: readonly (readonly [string, string])[] = [
    ['a/b', 'a_b'],
    ['a\\b', 'a/b'],
    ['Clerk', 'clerk'],
    ['ÄRGER', 'ärger'],
    [`${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`],
  ];

  test.each(PAIRS)(
    '%s keeps %s out, now and after a restart, and is not read under its name',
    async (a, b) => {
      const directory = tempDirectory();
      const journal = openFileJournal(directory);
      await journal.append(update('n', 1, a));
      await expect(journal.append(update('n', 2, b))).rejects.toMatchObject(collides);
      await journal.close();
      const again = openFileJournal(directory);
      await expect(again.append(update('n', 2, b))).rejects.toMatchObject(collides);
      await expect(again.claim(b)).rejects.toMatchObject(collides);
      await again.append(update('n', 3, a));
      expect((await again.read(a, { entryType: 'context_update' })).map((entry) => entry.process_id)).toEqual(
        [a, a],
      );
      const read = await again.read(b).catch((error: unknown) => codeOf(error));
      expect(read).toEqual(entriesFile(a) === entriesFile(b) ? collides.code : []);
      expect(await again.processes()).toEqual([a]);
      await again.close();
    },
  );

  test.each(PAIRS)(
    '%s and %s appended to in one breath: the second is refused, the first is whole',
    async (a, b) => {
      const directory = tempDirectory();
      const journal = openFileJournal(directory);
      const results = await Promise.allSettled([
        journal.append(update('n', 1, a)),
        journal.append(update('n', 2, b)),
        journal.append(update('n', 3, a)),
      ]);
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((results[1] as PromiseRejectedResult).reason).toMatchObject(collides);
      const entries = await journal.read(a);
      expect(entries.map((entry) => [entry.process_id, entry.verification])).toEqual(
        entries.map(() => [a, 'verified']),
      );
      await journal.close();
    },
  );

  test('a foreign journal is read under any name that leads to its file, as Promptise does', async () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, 'a_b.jsonl'), fileOf([foreignLine({ process_id: 'a/b' })]));
    const journal = readFileJournal(directory);
    for (const name of ['a/b', 'a_b', 'a\\b']) expect(await journal.read(name)).toHaveLength(1);
  });
});

test.each(['ours', 'foreign'])(
  '[P5] a file of %s that was renamed or copied is called after itself, and shows what is in it',
  async (whose) => {
    const directory = tempDirectory();
    const bytes =
      whose === 'ours'
        ? fileOf(ourLines([update('n', 1, 'clerk')]))
        : fileOf([foreignLine({ process_id: 'clerk', data: { key: 'n', value: 1 } })]);
    const files = { 'clerk.jsonl': bytes, 'clerk (copy).jsonl': bytes, 'backup.jsonl': bytes };
    if (whose === 'ours') writeOurDirectory(directory, files);
    else for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
    const journal = readFileJournal(directory);
    expect(await journal.processes()).toEqual(['backup', 'clerk', 'clerk (copy)']);
    for (const name of await journal.processes()) {
      expect((await journal.readLast(name, 9)).entries, name).toMatchObject([{ data: { value: 1 } }]);
    }
  },
);

test('a process is called what its lines call it; a file without a readable line is called after itself', async () => {
  const directory = tempDirectory();
  writeOurDirectory(directory, {
    'team_a.jsonl': fileOf(['{"half', ...ourLines([update('n', 1, 'team/a')])]),
    'silent.jsonl': fileOf(['nothing', '']),
    'empty.jsonl': '',
    'notes.txt': 'x',
  });
  mkdirSync(join(directory, 'folder.jsonl'));
  expect(await readFileJournal(directory).processes()).toEqual(['empty', 'silent', 'team/a']);
  expect(await readFileJournal(directory).read('folder')).toEqual([]);
});

test('[J10] files are 0600 and directories 0700 whatever the umask is', async () => {
  const directory = join(tempDirectory(), 'made', 'journal');
  const script = `
    process.umask(0);
    const { openFileJournal } = await import(${JSON.stringify(new URL('../../core/journal/index.ts', import.meta.url).href)});
    const fs = await import('node:fs');
    const directory = ${JSON.stringify(directory)};
    let journal = openFileJournal(directory);
    await journal.append({ process_id: 'one', entry_type: 'log', data: {} });
    await journal.checkpoint('one', { context_state: {} });
    await journal.close();
    fs.appendFileSync(directory + '/one.jsonl', '{"torn');
    journal = openFileJournal(directory);
    await journal.append({ process_id: 'one', entry_type: 'log', data: {} });
  `;
  const ended = await startNode('--input-type=module', ['--eval', script]).ended;
  expect(ended.stderr).toBe('');
  const modes = Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => {
      const stats = statSync(join(directory, name));
      return [name.replace(/\d+-\d+\.\d+/, '…'), (stats.mode & 0o777).toString(8)];
    }),
  );
  expect(modes).toEqual({
    'journal.holdfast': '600',
    'one.jsonl': '600',
    'one.checkpoint.json': '600',
    '.holdfast': '700',
    '.holdfast/heads': '700',
    '.holdfast/heads/one.head': '600',
    '.holdfast/reserve': '600',
    '.holdfast/holder.json': '600',
    '.holdfast/lock': '700',
    '.holdfast/lock/lock.sqlite': '600',
    '.holdfast/quarantine': '700',
    '.holdfast/quarantine/one.….bin': '600',
  });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, '..')).mode & 0o777).toBe(0o700);
});

describe('[J8] the checkpoint file', () => {
  test('holds the bare state, in ASCII, on one line, as Promptise reads it', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const state = { context_state: { city: 'Évora 📦' }, lifecycle_state: 'running' };
    await journal.checkpoint('one', state);
    const bytes = readFileSync(join(directory, 'one.checkpoint.json'));
    expect(bytes.every((byte) => byte < 0x80)).toBe(true);
    expect(JSON.parse(bytes.toString())).toEqual(state);
    expect(readdirSync(join(directory, '.holdfast')).sort()).toEqual([
      'heads',
      'holder.json',
      'lock',
      'reserve',
    ]);
    await journal.close();
  });

  test('is replaced whole: whoever has the old one open keeps reading the old one', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const path = join(directory, 'one.checkpoint.json');
    await journal.checkpoint('one', { context_state: { n: 1 } });
    const before = statSync(path).ino;
    await journal.checkpoint('one', { context_state: { n: 2 } });
    expect(statSync(path).ino).not.toBe(before);
    await journal.close();
  });

  test('that can not be written costs nothing: the line is the truth', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    mkdirSync(join(directory, 'one.checkpoint.json'));
    await journal.checkpoint('one', { context_state: { n: 1 } });
    expect(await journal.lastCheckpoint('one')).toMatchObject({ state: { context_state: { n: 1 } } });
    await journal.close();
  });

  test.each(['{"context_state":{"n":9}}', '{', '[]', 'null', '\u0000'])(
    'holding %j changes nothing in a journal of ours',
    async (text) => {
      const directory = tempDirectory();
      const journal = openFileJournal(directory);
      await journal.checkpoint('one', { context_state: { n: 1 } });
      writeFileSync(join(directory, 'one.checkpoint.json'), text);
      expect(await journal.lastCheckpoint('one')).toMatchObject({ state: { context_state: { n: 1 } } });
      await journal.close();
    },
  );

  test('of a state that JSON can not hold is refused before anything is written', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await journal.checkpoint('one', { context_state: { n: 1 } });
    const before = readFileSync(join(directory, 'one.checkpoint.json'));
    await expect(journal.checkpoint('one', { context_state: { n: Number.NaN } })).rejects.toMatchObject({
      code: 'journal.not-json',
    });
    expect(readFileSync(join(directory, 'one.checkpoint.json'))).toEqual(before);
    await journal.append(update('n', 2));
    await journal.close();
  });
});
