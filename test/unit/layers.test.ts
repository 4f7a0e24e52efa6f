// The import table, proved cell by cell: a copy of the tree's skeleton is filled with one file for each pair of parts,
// and the linter and the compiler judge them under the project's own configuration.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const project = resolve(import.meta.dirname, '../..');

const PARTS = {
  model: 'core/model',
  contract: 'core/contract',
  journal: 'core/journal',
  tail: 'core/tail',
  catalog: 'core/catalog',
  replay: 'core/replay',
  runtime: 'core/runtime',
  triggers: 'core/triggers',
  governance: 'core/governance',
  agent: 'core/agent',
  manifest: 'core/manifest',
  host: 'core/host',
  cli: 'core/cli',
  main: 'electron/main',
  worker: 'electron/worker',
  preload: 'electron/preload',
  renderer: 'renderer',
} as const;
type Part = keyof typeof PARTS;
const PURE = ['core/model', 'core/contract', 'core/replay'] as const;
const NAMES = Object.keys(PARTS) as readonly Part[];

interface Row {
  readonly from: readonly Part[];
  /** A part may always import itself and its neighbours in the row. */
  readonly may: readonly Part[];
  readonly electron?: true;
  readonly node?: true;
  readonly dom?: true;
}

const BELOW_HOST = [
  ...(['model', 'contract', 'replay', 'journal', 'tail', 'catalog', 'runtime', 'triggers'] as const),
  ...(['governance', 'agent', 'manifest'] as const),
];

/** Written a second time, on purpose: the linter's own table is what is on trial. */
const TABLE: readonly Row[] = [
  { from: ['model'], may: [] },
  { from: ['contract'], may: ['model'] },
  { from: ['replay'], may: ['model'] },
  { from: ['journal', 'tail', 'catalog'], may: ['model'], node: true },
  { from: ['runtime', 'triggers', 'governance'], may: ['model', 'replay', 'manifest'], node: true },
  { from: ['agent', 'manifest'], may: ['model'], node: true },
  { from: ['host', 'cli'], may: BELOW_HOST, node: true },
  { from: ['main'], may: ['model', 'contract', 'host', 'cli'], electron: true, node: true },
  { from: ['worker'], may: ['model', 'agent', 'manifest'], electron: true, node: true },
  { from: ['preload'], may: ['contract'], electron: true },
  { from: ['renderer'], may: ['model', 'contract'], dom: true },
];

interface Probe {
  /** In words, for the failure. */
  readonly cell: string;
  /** Below the part's directory. */
  readonly file: string;
  readonly source: string;
  readonly allowed: boolean;
}

const probes: Probe[] = [];
let count = 0;
/** A file of its own in each probe; every other one a directory deeper, since the table is about paths. */
function probe(
  part: Part,
  cell: string,
  allowed: boolean,
  source: (file: string) => string,
  name?: string,
): void {
  const depth = count % 2 === 0 ? '' : 'deeper/';
  const file = `${PARTS[part]}/${name ?? `${depth}probe-${String(count)}.ts`}`;
  count += 1;
  probes.push({ cell: `${part}: ${cell}`, file, source: source(file), allowed });
}

function importOf(from: string, to: string): string {
  const path = relative(dirname(from), to).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}

for (const row of TABLE) {
  for (const from of row.from) {
    for (const to of NAMES) {
      const allowed = row.from.includes(to) || row.may.includes(to);
      probe(
        from,
        `imports ${to}`,
        allowed,
        (file) =>
          `import { probed } from '${importOf(file, `${PARTS[to]}/probed.ts`)}';\nexport const seen = probed;\n`,
      );
    }
    const builtin = "import { sep } from 'node:path';\nexport const seen = sep;\n";
    const shell = "import { app } from 'electron';\nexport const seen = app;\n";
    probe(from, 'imports node:', row.node === true, () => builtin);
    probe(from, 'imports electron', row.electron === true, () => shell);
    probe(from, 'uses document', row.dom === true, () => 'export const seen = document;\n');
    probe(from, 'uses window', row.dom === true, () => 'export const seen = window;\n');
    for (const never of ['test', 'resources']) {
      probe(
        from,
        `imports ${never}`,
        false,
        (file) =>
          `import { probed } from '${importOf(file, `${never}/probed.ts`)}';\nexport const seen = probed;\n`,
      );
    }
  }
}
probe(
  'preload',
  'imports types of model',
  true,
  (file) =>
    `import type { Probed } from '${importOf(file, 'core/model/probed.ts')}';\nexport const seen: Probed = 1;\n`,
);
const ipc = "import { ipcMain } from 'electron';\nexport const seen = ipcMain;\n";
const browserWindow = "import { BrowserWindow } from 'electron';\nexport const seen = BrowserWindow;\n";
probe('main', 'ipcMain in any module', false, () => ipc);
probe('main', 'BrowserWindow in any module', false, () => browserWindow);
probe(
  'main',
  'BrowserWindow as a type',
  true,
  () => "import type { BrowserWindow } from 'electron';\nexport type Seen = BrowserWindow;\n",
);
probe('main', 'ipcMain in ipc-server.ts', true, () => ipc, 'ipc-server.ts');
probe('main', 'BrowserWindow in window.ts', true, () => browserWindow, 'window.ts');

/** A new directory with the project's own configuration, and the means to fill it and to run the project's tools. */
function copyOfSkeleton() {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-layers-'));
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const configuration = ['package.json', '.oxlint.config.ts', 'tsconfig.json'];
  for (const file of [...configuration, ...PURE.map((directory) => `${directory}/tsconfig.json`)]) {
    // The project's own build output is none of the copy's business.
    put(file, readFileSync(join(project, file), 'utf8').replaceAll('node_modules/.cache', 'types'));
  }
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'), 'junction');
  const run = (tool: string, ...words: readonly string[]): string => {
    const { stdout, stderr, error } = spawnSync(
      process.execPath,
      [join(project, 'node_modules', tool), ...words],
      { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    if (error !== undefined) throw error;
    return `${stdout}${stderr}`;
  };
  return { put, run, remove: () => rmSync(root, { recursive: true, force: true }) };
}

describe('who may import whom', () => {
  const refused = new Set<string>();
  const { put, run, remove } = copyOfSkeleton();
  afterAll(remove);
  beforeAll(() => {
    for (const directory of [...Object.values(PARTS), 'test', 'resources']) {
      put(`${directory}/probed.ts`, 'export const probed = 1;\nexport type Probed = number;\n');
    }
    for (const { file, source } of probes) put(file, source);
    const report = JSON.parse(
      run('oxlint/bin/oxlint', '-c', '.oxlint.config.ts', '--format', 'json', 'core', 'electron', 'renderer'),
    ) as {
      readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
    };
    for (const { code, filename } of report.diagnostics) {
      if (/no-restricted-(imports|globals)/.test(code)) refused.add(filename.replaceAll('\\', '/'));
    }
  });

  test('there is a probe for every pair of parts', () => {
    expect(new Set(TABLE.flatMap((row) => row.from)).size).toBe(NAMES.length);
    expect(probes.length).toBeGreaterThan(NAMES.length ** 2);
  });

  test('every forbidden cell is refused', () => {
    const slipped = probes.filter(({ allowed, file }) => !allowed && !refused.has(file));
    expect(slipped.map(({ cell }) => cell)).toEqual([]);
  });

  test('every allowed cell passes', () => {
    const blocked = probes.filter(({ allowed, file }) => allowed && refused.has(file));
    expect(blocked.map(({ cell }) => cell)).toEqual([]);
  });
});

describe('what would need a platform does not compile in the pure parts', () => {
  const { put, run, remove } = copyOfSkeleton();
  afterAll(remove);
  const PLATFORM = {
    process: 'process.pid',
    document: 'document.title',
    console: 'console.log',
    fetch: 'fetch',
    buffer: "Buffer.from('')",
    timer: 'setTimeout',
  };
  let output = '';
  beforeAll(() => {
    for (const directory of PURE) {
      put(
        `${directory}/pure.ts`,
        'export const seen: unknown = structured(1);\nfunction structured(n: number) {\n  return [n];\n}\n',
      );
      for (const [name, expression] of Object.entries(PLATFORM)) {
        put(`${directory}/platform-${name}.ts`, `export const seen: unknown = ${expression};\n`);
      }
    }
    output = run('typescript/bin/tsc', '-b', ...PURE, '--pretty', 'false');
  });

  test.each(PURE.flatMap((directory) => Object.keys(PLATFORM).map((name) => [directory, name])))(
    '%s: %s',
    (directory, name) => {
      expect(output).toMatch(new RegExp(`${directory}/platform-${name}\\.ts.*error TS(2304|2580|2584|2591)`));
    },
  );

  test('and nothing else is wrong with them', () => {
    expect(
      output.split('\n').filter((line) => line.includes('error') && !line.includes('/platform-')),
    ).toEqual([]);
  });
});
