// Everything that is wrong with a manifest is told at once, each with its path and line; and it is written back as it was.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { loadWorkspace } from '../../core/manifest/load-workspace.ts';
import {
  manifestJsonSchema,
  manifestNotes,
  manifestProblems,
} from '../../core/manifest/manifest-problems.ts';
import { MANIFEST_TEMPLATES, templateText } from '../../core/manifest/manifest-templates.ts';
import { editedManifest, manifestText } from '../../core/manifest/manifest-text.ts';
import { processOf } from '../../core/manifest/process-of.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const problems = (text: string) => manifestProblems('/nowhere', '/nowhere/a.agent', text);
const told = (text: string) => problems(text).map(({ path, line }) => `${line} ${path}`);

test('all of one file, with their lines, by line; unknown keys with those that there are', () => {
  const text = `name: 3
modle: openai:a
servers:
  files:
    command: npx
    argz: []
  none: {}
triggers:
  - type: cron
    cron_expresion: "* * * * *"
  - type: nope
budget:
  max_cost_per_day: -1
config:
  guardrails: on-all
  budget: {}
entrypoint: ./nowhere.ts
`;
  expect(told(text)).toEqual([
    '1 name',
    '2 modle',
    '6 servers.files.argz',
    '7 servers.none.command',
    '9 triggers[0].cron_expression',
    '10 triggers[0].cron_expresion',
    '11 triggers[1].type',
    '13 budget.max_cost_per_day',
    '15 config.guardrails',
    '16 config.budget',
    '17 entrypoint',
  ]);
  const message = (at: string) => problems(text).find(({ path }) => path === at)!.message;
  expect(message('modle')).toContain('there are version, name, entrypoint, model, instructions');
  expect(message('servers.files.argz')).toContain(
    'there are type, transport, command, args, env, cwd, keep_alive',
  );
  expect(message('triggers[0].cron_expresion')).toContain('cron_expression, cron_timezone');
  expect(message('triggers[0].cron_expression')).toBe('it is missing: it is a string, and needed');
});

test('a directory tells of every faulty file, and the others run', () => {
  const directory = tempDirectory();
  const files = {
    'a.agent': 'name: a\n',
    'b.agent': 'name: b\nfoo: 1\nbar: 2\n',
    'c.agent': 'name: [\n',
    'd.agent': 'name: d\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const loaded = loadWorkspace(directory);
  expect(loaded.definitions.map(({ name }) => name)).toEqual(['a', 'd']);
  const [second, third] = loaded.problems;
  expect([second!.code, third!.code]).toEqual(['manifest.invalid', 'manifest.bad-yaml']);
  expect(second!.message).toMatch(
    /b\.agent can't be used: line 2: the manifest has "foo".*; line 3: the manifest has "bar"/,
  );
  expect(third!.message).toMatch(/c\.agent can't be used: line \d: it is not YAML/);
});

describe('a text that can not be read', () => {
  test.each([
    ['name: a\nname: b\n', 2, 'it is not YAML: Map keys must be unique'],
    ['name: a\n  b: c\n', 1, 'it is not YAML: '],
    ['name: a\n---\nname: b\n', 2, 'a file has one manifest'],
    ['name: *nobody\n', null, 'it is not YAML'],
    ['name: !lisp a\n', 1, 'Unresolved tag'],
    ['', null, 'it is empty'],
    ['- a\n', null, 'it is no list of settings'],
    [`a: ${'['.repeat(20_000)}`, 1, 'it is not YAML'],
    [`name: ${'x'.repeat(1_100_000)}`, null, 'a manifest has 1000000 at most'],
  ])('%#', (text, line, says) => {
    const [problem, ...more] = problems(text);
    expect(more.length).toBeLessThan(10);
    expect(problem).toMatchObject({ path: '' });
    expect(problem!.line).toBe(line);
    expect(problem!.message).toContain(says);
  });

  test('[J10] says nothing of what stands in it', () => {
    const text = 'name: a\nsecrets: { secrets: { a: "sk-77\n';
    expect(JSON.stringify(problems(text))).not.toContain('sk-77');
  });

  test('of a bomb of aliases is refused', () => {
    const rows = Array.from(
      { length: 12 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`,
    );
    expect(problems(`a0: &a0 [x]\n${rows.join('\n')}\nname: a\n`)[0]!.message).toContain('it is not YAML');
  });

  test('of values without end, by aliases or by nesting, is refused before any of it is copied', () => {
    const row = `[${Array(30_000).fill('1').join(',')}]`;
    const many = `name: a\nworld:\n  a: &a ${row}\n  b: [${Array(90).fill('*a').join(',')}]\n`;
    expect(problems(many)[0]!.message).toContain('more than 200000 values');
    const deep = (levels: number): string =>
      `name: a\nworld: { a: ${'['.repeat(levels)}${']'.repeat(levels)} }\n`;
    expect(problems(deep(90))).toEqual([]);
    // So deep that no entry could hold it.
    expect(problems(deep(250))[0]!.message).toContain('nested more than 100 levels deep');
  });
});

describe('variables', () => {
  const read = (text: string, environment: Record<string, string> = {}) =>
    processOf({ directory: '/nowhere', path: '/nowhere/a.agent' }, `name: a\n${text}\n`, environment);

  test('are put in everywhere, as texts, numbers and truths, before anything is checked', () => {
    const { definition, faults } = read(
      `instructions: "\${WHO}, and \${NONE:-nobody} and \${EMPTY:-x}$5 \${9}"
config: { concurrency: "\${N}", idle_timeout: "\${NONE:-2.5}" }
budget: { enabled: "\${OFF}" }
triggers: [{ type: cron, cron_expression: "\${NONE:-* * * * *}" }]`,
      { WHO: 'me', EMPTY: '', N: '7', OFF: 'False' },
    );
    expect(faults).toEqual([]);
    expect(definition!.config).toMatchObject({
      instructions: 'me, and nobody and $5 ${9}',
      concurrency: 7,
      idleTimeoutMs: 2_500,
      triggers: [{ cronExpression: '* * * * *' }],
    });
  });

  test('that are not set are told with their lines, all of them, and nothing else about those places', () => {
    const { faults } = read('config:\n  concurrency: ${N}\n  max_restarts: ${M}\nmodel: ${X:-}');
    expect(faults.map(({ path, line, message }) => `${line} ${path}: ${message.slice(0, 15)}`)).toEqual([
      '3 config.concurrency: ${N} is not set',
      '4 config.max_restarts: ${M} is not set',
      expect.stringMatching(/^5 model: "" names no /),
    ]);
  });

  test('a value that is none of what is needed is refused as that', () => {
    expect(read('config: { concurrency: "${N}" }', { N: 'many' }).faults[0]!.message).toContain(
      'expected number',
    );
  });

  test('that only every object has are not set', () => {
    const { faults } = read('instructions: "${constructor} ${__proto__} ${toString:-x}"');
    expect(faults.map(({ message }) => message.split(' is ')[0])).toEqual(['${constructor}', '${__proto__}']);
    const text = 'servers: { a: { command: x, env: { A: "${__proto__} ${hasOwnProperty:-x}" } } }';
    const { config } = read(text).definition!;
    expect(Object.keys(config.secrets.sources)).toEqual(['__proto__', 'OPENAI_API_KEY']);
    expect(config.agent!.servers['a']).toMatchObject({ env: { A: '${__proto__} x' } });
  });

  test('no text takes long to be looked through', () => {
    const { faults } = read(`instructions: "${'${A:-'.repeat(3_000)}"`);
    expect(faults).toEqual([]);
  });
});

describe('what is another value to Promptise', () => {
  test.each([
    ['world: { a: yes }', 'world.a', 'true or false'],
    ['world: { a: [1, Off] }', 'world.a[1]', 'true or false'],
    ['world: { a: 017 }', 'world.a', 'another number'],
    ['world: { a: 1_000 }', 'world.a', 'another number'],
    ['world: { a: 12:30:45 }', 'world.a', 'another number'],
  ])('is refused where it is a model’s, and noted of code: %s', (text, path, says) => {
    const [problem, ...more] = problems(`name: a\n${text}\n`);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ path, line: 2, message: expect.stringContaining(says) as string });
    const directory = tempDirectory();
    writeFileSync(join(directory, 'a.ts'), '');
    const manifest = `name: a\nentrypoint: a.ts\n${text}\n`;
    expect(manifestProblems(directory, join(directory, 'a.agent'), manifest)).toEqual([]);
    expect(manifestNotes(directory, join(directory, 'a.agent'), manifest).map((note) => note.path)).toContain(
      path,
    );
  });

  test.each(['world: { a: "yes" }', 'world: { a: true, b: 1e3, c: 0, d: 0.5, e: 2026-01-05 }', 'yes: 1'])(
    '%s is not',
    (text) => {
      expect(
        problems(`name: a\n${text}\n`)
          .map(({ message }) => message)
          .join(),
      ).not.toContain('to Promptise');
    },
  );
});

describe('written back', () => {
  test('an edit leaves comments, order and quotes of what it does not touch', () => {
    const text = `# mine
name: 'a' # who

config:
  concurrency: 2 # at a time
  # next
  idle_timeout: 5
model: openai:a
`;
    const edited = editedManifest(text, [
      { place: ['config', 'concurrency'], value: 3 },
      { place: ['model'], value: undefined },
      { place: ['budget', 'max_runs_per_day'], value: 9 },
      { place: ['instructions'], value: 'one\ntwo' },
    ]);
    expect(edited).toBe(`# mine
name: 'a' # who

config:
  concurrency: 3 # at a time
  # next
  idle_timeout: 5
budget:
  max_runs_per_day: 9
instructions: |-
  one
  two
`);
  });

  test('what would be something else to a reader of YAML 1.1 stands in quotes', () => {
    const document: JsonObject = {
      name: 'no',
      world: { a: 'yes', b: '017', c: '12:30', d: '1_0', e: true, f: 1.5, g: null },
    };
    const text = manifestText(document);
    expect(parse(text)).toEqual(document);
    expect(parse(text, { version: '1.1' })).toEqual(document);
  });

  test('a text that is no YAML is not edited', () => {
    expect(() => editedManifest('a: [', [])).toThrow(/Flow sequence/);
  });
});

describe('templates', () => {
  test.each(MANIFEST_TEMPLATES)('%s can be used as it is, under any name', (template) => {
    for (const name of ['one', 'yes', "it's: 3", '123', 'zwei\nZeilen']) {
      const { definition, faults } = processOf(
        { directory: '/nowhere', path: '/nowhere/a.agent' },
        templateText(template, name),
        { PATH: '/bin', TICKETS_TOKEN: 'tok-77-aa-19' },
      );
      expect(faults).toEqual([]);
      expect(definition!.name).toBe(name);
    }
  });

  test('the full one names every section', () => {
    const sections = Object.keys(manifestJsonSchema()['properties'] as JsonObject);
    const text = templateText('full', 'one');
    expect(sections.filter((key) => !new RegExp(String.raw`^(?:# |  )?${key}:`, 'm').test(text))).toEqual([]);
  });
});

describe('the schema for editors', () => {
  const schema = manifestJsonSchema();
  const properties = schema['properties'] as Record<string, JsonObject>;

  test('explains every section, and refuses what is none', () => {
    expect(
      Object.entries(properties).filter(([, section]) => typeof section['description'] !== 'string'),
    ).toEqual([]);
    expect(schema).toMatchObject({ required: ['name'], additionalProperties: false });
    expect(JSON.stringify(properties['servers'])).toContain('A program that is started');
    expect((properties['config']!['properties'] as JsonObject)['budget']).toMatchObject({
      description: properties['budget']!['description'] as string,
    });
  });
});
