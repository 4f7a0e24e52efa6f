// The verbs for manifests, as programs of their own: what they print, what they leave behind, and what their exit says.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOLDFAST, holdfast, startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const env = { ...process.env, OPENAI_API_KEY: 'sk-not-a-real-one-77' };

describe('validate', () => {
  function workspace(): string {
    const directory = tempDirectory();
    writeFileSync(join(directory, 'good.agent'), 'name: good\ninstructions: x\n');
    writeFileSync(join(directory, 'code.agent'), 'name: code\nentrypoint: ./code.ts\n');
    writeFileSync(join(directory, 'code.ts'), 'throw new Error("nothing is run")\n');
    return directory;
  }

  test('[S2] says of each what it is, and runs nothing', async () => {
    const directory = workspace();
    const { code, stdout, stderr } = await holdfast(['validate', directory], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/code\.agent +valid +code +code +none +none\n/);
    expect(stdout).toMatch(/good\.agent +valid +good +openai:gpt-5-mini +none +none\n/);
    expect(stdout).toContain('note · line 1: there are no triggers');
    expect(stdout).not.toContain('OPENAI_API_KEY');
    expect(existsSync(join(directory, '.holdfast-journal'))).toBe(false);
  });

  test('tells of all that is wrong in all of them, with its line, and exits 1', async () => {
    const directory = workspace();
    writeFileSync(join(directory, 'bad.agent'), 'name: bad\nfoo: 1\nbar: 2\n');
    writeFileSync(
      join(directory, 'cron.agent'),
      'name: cron\ntriggers:\n  - { type: cron, cron_expression: often }\n',
    );
    writeFileSync(join(directory, 'twice.agent'), 'name: good\n');
    const { code, stdout, stderr } = await holdfast(['validate', directory], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "holdfast: 3 of 5 manifests can't be used.\n" });
    expect(stdout).toMatch(/bad\.agent +2 problems\n/);
    expect(stdout).toContain(
      'problem · line 2: the manifest has "foo", which is not a setting; there are version',
    );
    expect(stdout).toContain('problem · line 3: the manifest has "bar"');
    expect(stdout).toMatch(/problem · line 3: triggers\[0\]: .*often/);
    expect(stdout).toMatch(/problem · name: .*good\.agent is called so as well/);
  });

  test('what it notes is told by "run" too, once, beside its output', async () => {
    const directory = workspace();
    writeFileSync(
      join(directory, 'box.agent'),
      'name: box\ninstructions: x\nservers:\n  box:\n    command: x\n    args: [--token, abc]\n',
    );
    const child = startNode(HOLDFAST, ['run', directory, '--json'], {
      env: { ...env, HOLDFAST_DATA: tempDirectory() },
    });
    endsWithTest(child);
    const note = /note · box\.agent: line 6: servers\.box\.args\[?\.?1\]?: what looks like a secret/;
    await waitFor(() => note.test(child.stderr()) && child.stdout().includes('"event":"fleet"'), {
      what: 'the note',
    });
    child.process.kill('SIGTERM');
    const { stdout, stderr } = await child.ended;
    expect(stdout).not.toContain('what looks like a secret');
    expect(stderr.split('looks like a secret')).toHaveLength(2);
    expect(stderr).toContain('holdfast: note · good.agent: line 1: there are no triggers');
  });

  test('as JSON, of one file', async () => {
    const directory = workspace();
    const file = join(directory, 'good.agent');
    const { code, stdout } = await holdfast(['validate', file, '--json'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      manifests: [
        {
          file,
          isValid: true,
          agent: {
            name: 'good',
            kind: 'model',
            models: ['openai:gpt-5-mini'],
            triggers: [],
            servers: [],
            secrets: ['OPENAI_API_KEY'],
          },
          problems: [],
          notes: [
            { path: '', line: 1, message: expect.stringContaining('no triggers') as string },
            { path: '', line: 1, message: expect.stringContaining('no servers') as string },
          ],
        },
      ],
    });
  });

  test('what is not there, and what holds none, is said with exit code 3', async () => {
    const directory = tempDirectory();
    for (const [path, says] of [
      [join(directory, 'nowhere'), 'does not exist'],
      [directory, 'has no .agent file'],
    ] as const) {
      const { code, stdout, stderr } = await holdfast(['validate', path], { env });
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toContain(says);
    }
  });

  test('the schema for editors is JSON', async () => {
    const { code, stdout } = await holdfast(['validate', '--schema'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      required: ['name'],
    });
  });
});

describe('init', () => {
  test.each(['basic', 'cron', 'webhook', 'full'])('%s is a manifest that can be used', async (template) => {
    const directory = tempDirectory();
    const file = join(directory, 'one.agent');
    const made = await holdfast(['init', 'clerk', '-t', template, '-o', file], { env });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain(`holdfast validate ${file}`);
    expect(readFileSync(file, 'utf8')).toMatch(/^version: "1\.0"\nname: clerk\n/);
    expect((await holdfast(['validate', file], { env })).code).toBe(0);
  });

  test('leaves what is there alone, unless it is forced', async () => {
    const file = join(tempDirectory(), 'one.agent');
    writeFileSync(file, 'mine');
    const refused = await holdfast(['init', '-o', file], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') as string });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const forced = await holdfast(['init', '-o', file, '--force', '--json'], { env });
    expect(JSON.parse(forced.stdout)).toEqual({ file, template: 'basic', name: 'my-agent' });
    expect(readFileSync(file, 'utf8')).toContain('name: my-agent');
  });

  test('a name that is no file name, and a place that is none, are said', async () => {
    const directory = tempDirectory();
    const begun = join(directory, 'new', 'a.agent');
    const made = await holdfast(['init', '-o', begun], { env });
    expect(made.stdout).toContain(`holdfast run ${join(directory, 'new')}`);
    expect(await holdfast(['init', 'a/b'], { env })).toMatchObject({ code: 2 });
    const { code, stderr } = await holdfast(['init', '-o', join(begun, 'b.agent')], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("can't be written");
    expect(await holdfast(['init', '-t', 'nope'], { env })).toMatchObject({ code: 2 });
    // Who names a template in place of the agent is not given another one.
    const mistaken = await holdfast(['init', 'cron'], { env });
    expect(mistaken).toMatchObject({ code: 2, stdout: '' });
    expect(mistaken.stderr).toContain('holdfast init my-agent --template cron');
  });
});
