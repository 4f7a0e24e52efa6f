// `holdfast verify`, `repair` and `adopt` as programs: what each says, and with which exit code.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holdfast, mapLimited, type Ended } from '../support/child.ts';
import { asNobody, goodJournal, halfHiddenJournal, jsonLines } from '../support/command-journals.ts';
import { treeHash } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

describe('verify, repair and adopt', () => {
  /** A journal of two processes, one of which has a damaged line that was acknowledged. */
  const damaged = (): string => {
    const directory = join(tempDirectory(), "ana's journal");
    const lines = ourLines([update('n', 1), update('n', 2), update('n', 3)]);
    writeOurDirectory(directory, {
      'one.jsonl': fileOf([lines[0]!, 'garbage', lines[2]!]),
      'two.jsonl': fileOf(ourLines([update('n', 1, 'two')])),
    });
    return directory;
  };
  const copyPath = (): string => join(tempDirectory(), 'copy');

  test('a whole journal is one line for each process, and 0', async () => {
    const directory = goodJournal();
    const before = treeHash(directory);
    const [text, json] = await Promise.all([
      holdfast(['verify', directory]),
      holdfast(['verify', directory, '--json']),
    ]);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toBe(
      `${directory} · holdfast · 2 processes, 4 lines in 2 segments\none  whole · 3 lines, up to entry 3\ntwo  whole · 1 line, up to entry 1\n`,
    );
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(json.stdout)).toMatchObject([
      { isWhole: true, totals: { processes: 2, lines: 4, damage: 0 } },
    ]);
    expect(treeHash(directory)).toBe(before);
  });

  test('damage is named with file, line and byte, with what to do next, and 4', async () => {
    const directory = damaged();
    const offset = ourLines([update('n', 1)])[0]!.length + 1;
    const before = treeHash(directory);
    const [text, json, two, three] = (await mapLimited(
      [
        ['verify', directory],
        ['verify', directory, '--json'],
        ['verify', directory, 'two'],
        ['verify', directory, 'three'],
      ],
      2,
      (args) => holdfast(args),
    )) as [Ended, Ended, Ended, Ended];
    expect(text.code).toBe(4);
    expect(text.stdout).toContain('one  damaged in 1 place · 3 lines, up to entry 3\n');
    expect(text.stdout).toMatch(
      new RegExp(`^  one\\.jsonl, line 2 at byte ${offset}, 8 bytes: not JSON: .+ \\(not-json\\)$`, 'm'),
    );
    expect(text.stdout).toContain('two  whole');
    const line = `holdfast repair '${directory.replace("'", String.raw`'\''`)}' --to <copy>`;
    expect(text.stderr).toBe(
      `holdfast: ${directory} is damaged in 1 place. Repair it into a copy, which leaves it as it is: ${line}\n`,
    );
    expect(json).toMatchObject({ code: 4, stderr: text.stderr });
    expect(jsonLines(json.stdout)).toMatchObject([
      {
        isWhole: false,
        processes: [{ process: 'one', damage: [{ kind: 'not-json', seq: 2, offset, sizeBytes: 8 }] }, {}],
      },
    ]);
    expect(two).toMatchObject({ code: 0, stderr: '' });
    expect(two.stdout).not.toContain('one');
    expect(three).toMatchObject({ code: 3, stdout: '' });
    expect(three.stderr).toContain('has no process "three". It has: one, two.');
    expect(treeHash(directory)).toBe(before);
  });

  test('[P5] what can not be read is said, and is no verdict', async () => {
    const { code, stdout, stderr } = await holdfast(['verify', halfHiddenJournal()], asNobody);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/one\.jsonl may not be read by this user\. Ask/);
    const notes = tempDirectory();
    writeFileSync(join(notes, 'notes.txt'), 'x');
    for (const verb of [['verify'], ['repair', '--to', copyPath()], ['adopt', '--to', copyPath()]]) {
      const ended = await holdfast([...verb, notes]);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toMatch(/holds no journal/);
    }
  });

  test('repair says what was left out, where it is, what to do next; the copy is whole', async () => {
    const directory = damaged();
    const before = treeHash(directory);
    const [copy, other] = [copyPath(), copyPath()];
    const [text, json] = await Promise.all([
      holdfast(['repair', directory, '--to', copy]),
      holdfast(['repair', directory, '--to', other, '--json']),
    ]);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    const lines = text.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(`Repaired into ${copy}. ${directory} is as it was.`);
    expect(lines[1]).toBe('one: 2 lines kept, 1 gap, held');
    expect(lines[2]).toMatch(
      /^  between 1 and 3: entries are missing · 8 bytes at byte \d+ of one\.jsonl left out, kept in \.holdfast\/quarantine\/one\.[\d.-]+\.bin \(not-json\)$/,
    );
    expect(lines[3]).toBe('copied as it is: two');
    expect(lines[4]).toBe(`Next: move ${directory} away and the copy to its place, then run it.`);
    expect(lines[5]).toMatch(/^Held until somebody resumes: one\. /);
    expect(jsonLines(json.stdout)).toMatchObject([
      { copy: other, repaired: [{ process: 'one', held: true }], unchanged: ['two'] },
    ]);
    expect((await holdfast(['verify', copy])).code).toBe(0);
    const nothing = await holdfast(['repair', copy, '--to', copyPath()]);
    expect(nothing).toMatchObject({ code: 0, stderr: '' });
    expect(nothing.stdout).toMatch(/^Nothing to repair: /);
    const again = await holdfast(['repair', directory, '--to', copy]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/is there already, and not empty/);
    expect(treeHash(directory)).toBe(before);
  });

  test('a journal that another process is writing can be verified, and repairing it is refused with 5 and the pid', async () => {
    const directory = tempDirectory();
    const holder = await heldJournal(directory);
    const before = treeHash(directory);
    const [verify, repair] = await Promise.all([
      holdfast(['verify', directory]),
      holdfast(['repair', directory, '--to', copyPath()]),
    ]);
    expect(verify).toMatchObject({ code: 0, stderr: '' });
    expect(repair).toMatchObject({ code: 5, stdout: '' });
    expect(repair.stderr).toContain(`process ${holder.process.pid}`);
    expect(treeHash(directory)).toBe(before);
  });

  test("adopt makes a journal of Promptise's that is ours, and says what it left out", async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf([foreignLine({ data: { key: 'n', value: 1 } }), 'garbage']),
    );
    writeFileSync(join(directory, 'notes.jsonl'), 'nothing\n');
    const verify = await holdfast(['verify', directory]);
    expect(verify.code).toBe(4);
    expect(verify.stderr).toMatch(
      /Adopt what can be read into a copy, which leaves it as it is: holdfast adopt \S+ --to <copy>\n$/,
    );
    const before = treeHash(directory);
    const copy = copyPath();
    const { code, stdout, stderr } = await holdfast(['adopt', directory, '--to', copy]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^one: 1 line, 1 place left out$/m);
    expect(stdout).toMatch(
      /^  line 2 of one\.jsonl: 8 bytes at byte \d+ \(not-json\), kept in \.holdfast\/quarantine\/\S+$/m,
    );
    expect(stdout).toMatch(/^notes\.jsonl: left out, since no line of it can be read$/m);
    expect(stdout).toMatch(/^Next: end the Promptise runtime/m);
    expect(treeHash(directory)).toBe(before);
    const recovered = await holdfast(['recover', copy, 'one', '--json']);
    expect(jsonLines(recovered.stdout)).toMatchObject([{ context_state: { n: 1 } }]);
    const twice = await holdfast(['adopt', copy, '--to', copyPath()]);
    expect(twice).toMatchObject({ code: 1, stdout: '' });
    expect(twice.stderr).toMatch(/nothing to adopt\. Run it as it is\.$/m);
  });
});
