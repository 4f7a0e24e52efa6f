import { defineConfig, type OxlintConfig } from 'oxlint';

/** Who may import whom: the table of the architecture page, row by row. Anything not named is refused. */
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
  preload: 'electron/preload',
  worker: 'electron/worker',
  renderer: 'renderer',
} as const;
type Part = keyof typeof PARTS;

const STORES = ['journal', 'tail', 'catalog'] as const;
const RUNNING = ['runtime', 'triggers', 'governance'] as const;
const AUTHORED = ['agent', 'manifest'] as const;
const PURE = ['model', 'contract', 'replay'] as const;

interface Row {
  readonly parts: readonly Part[];
  readonly may: readonly Part[];
  readonly node: boolean;
  readonly electron: boolean;
  readonly dom: boolean;
}

const row = (
  parts: readonly Part[],
  may: readonly Part[],
  has: Partial<Pick<Row, 'node' | 'electron' | 'dom'>>,
): Row => ({
  parts,
  may: [...parts, ...may],
  node: false,
  electron: false,
  dom: false,
  ...has,
});

const TABLE: readonly Row[] = [
  row(['model'], [], {}),
  row(['contract'], ['model'], {}),
  row(['replay'], ['model'], {}),
  row(STORES, ['model'], { node: true }),
  row(RUNNING, ['model', 'replay', 'manifest'], { node: true }),
  row(AUTHORED, ['model'], { node: true }),
  row(['host', 'cli'], [...PURE, ...STORES, ...RUNNING, ...AUTHORED], { node: true }),
  row(['main'], ['model', 'contract', 'host', 'cli'], { node: true, electron: true }),
  row(['worker'], ['model', ...AUTHORED], { node: true, electron: true }),
  row(['preload'], ['model', 'contract'], { electron: true }),
  row(['renderer'], ['model', 'contract'], { dom: true }),
];

/** A relative import that names a part's folder, from wherever it is written. */
const folder = (part: Part): string => {
  const [top, name] = PARTS[part].split('/') as [string, string | undefined];
  return name === undefined ? `(^|/)\\.\\./(.*/)?${top}/` : `(^|/)\\.\\./((.*/)?${top}/)?${name}/`;
};

const patternsOf = ({ parts, may, node, electron }: Row) => [
  ...(Object.keys(PARTS) as Part[])
    .filter((part) => !may.includes(part))
    .map((part) => ({ regex: folder(part), message: `${parts.join(', ')} may not import ${part}.` })),
  ...(node ? [] : [{ regex: '^node:', message: `${parts.join(', ')} may not use Node.` }]),
  ...(electron ? [] : [{ regex: '^electron($|/)', message: `${parts.join(', ')} may not use Electron.` }]),
  { regex: '(^|/)\\.\\./(.*/)?(test|resources)/', message: 'The product may not import tests or resources.' },
];

const onlyTypesFromModel = {
  regex: folder('model'),
  allowTypeImports: true,
  message: 'The preload takes only types from core/model.',
};

const electronNames = (names: readonly string[], message: string) => ({
  name: 'electron',
  importNames: [...names],
  allowTypeImports: true,
  message,
});
const IPC = electronNames(['ipcMain'], 'Only electron/main/ipc-server.ts may use ipcMain.');
const WINDOW = electronNames(
  ['BrowserWindow'],
  'Only electron/main/window.ts may construct a BrowserWindow.',
);

const overrides: NonNullable<OxlintConfig['overrides']> = TABLE.flatMap((line) =>
  line.parts.map((part) => ({
    files: [`${PARTS[part]}/**`],
    rules: {
      'typescript/no-restricted-imports': [
        'error',
        {
          paths: part === 'main' ? [IPC, WINDOW] : [],
          patterns: [...patternsOf(line), ...(part === 'preload' ? [onlyTypesFromModel] : [])],
        },
      ],
      ...(line.dom
        ? {}
        : { 'no-restricted-globals': ['error', 'window', 'document', 'localStorage', 'sessionStorage'] }),
    },
  })),
);

const main = TABLE.find((line) => line.parts.includes('main'))!;
for (const [file, allowed] of [
  ['ipc-server.ts', WINDOW],
  ['window.ts', IPC],
] as const) {
  overrides.push({
    files: [`electron/main/${file}`],
    rules: {
      'typescript/no-restricted-imports': ['error', { paths: [allowed], patterns: patternsOf(main) }],
    },
  });
}

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'react', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist/**', 'test/journals/**'],
  rules: {
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    // fast-check is written with its default import, as its own documentation does.
    'import/no-named-as-default-member': 'off',
    'import/no-unassigned-import': 'off',
    // Making control characters visible means naming them.
    'no-control-regex': 'off',
    'no-eval': 'error',
    'no-implied-eval': 'error',
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'no-console': 'error',
    'promise/always-return': 'off',
    'react/no-danger': 'error',
    'react/react-in-jsx-scope': 'off',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'no-unused-vars': [
      'error',
      { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
    ],
    // The compiler's noImplicitReturns says the same and knows exhaustive switches.
    'typescript/consistent-return': 'off',
    // Agents read `ctx.state.get<number>('count')`.
    'typescript/no-unnecessary-type-parameters': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/prefer-node-protocol': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'unicorn/no-array-sort': 'off',
    // Waiting for what must be there asserts that it comes.
    'vitest/expect-expect': [
      'error',
      { assertFunctionNames: ['expect', '**.waitFor', 'waitFor', 'expect*', 'fc.assert'] },
    ],
    'unicorn/require-post-message-target-origin': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-reverse': 'off',
  },
  overrides: [
    ...overrides,
    {
      files: ['core/cli/**', 'test/**', 'resources/examples/**', 'electron/build.ts'],
      rules: { 'no-console': 'off' },
    },
    {
      files: ['.oxlint.config.ts', '**/vite.config.ts', '**/vitest.config.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
    {
      files: ['resources/demo/**', 'resources/examples/**', 'test/**'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
});
