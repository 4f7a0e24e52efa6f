// Builds what the shell runs into dist/: main and the worker as ES modules, the preload as the single CommonJS file
// that a sandboxed page can load, the console, and the pictures.
//
//   node electron/build.ts [--dev] [main worker preload renderer icons]
//
// Without names all of it. `--dev` adds source maps.

import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type InlineConfig } from 'vite';
import { renderIcons } from './icons.ts';

const root = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { dev: { type: 'boolean', default: false } },
  allowPositionals: true,
});

// The one dependency that can't be bundled, for it loads an addon beside itself. Everything else is inside the bundle,
// so that the archive holds few files and no copies.
const EXTERNAL = ['electron', 'better-sqlite3', /^node:/];

/** ES modules for Node. Two in one part share what they have in common. */
function nodeModules(part: 'main' | 'worker', input: Readonly<Record<string, string>>): InlineConfig {
  return {
    ssr: { noExternal: true, external: ['electron', 'better-sqlite3'], target: 'node' },
    build: {
      ssr: true,
      target: 'node24',
      outDir: join(root, 'dist', part),
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, join(root, file)])),
        external: EXTERNAL,
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  };
}

const main = nodeModules('main', { main: 'electron/main/main.ts' });
// What agents import as `holdfast`.
const worker = nodeModules('worker', {
  worker: 'electron/worker/worker.ts',
  holdfast: 'core/agent/index.ts',
  // What a manifest names as `package:@modelcontextprotocol/server-filesystem`.
  'server-filesystem': relative(
    root,
    fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')),
  ),
});

const preload: InlineConfig = {
  build: {
    lib: {
      entry: join(root, 'electron/preload/preload.ts'),
      formats: ['cjs'],
      fileName: () => 'preload.cjs',
    },
    target: 'chrome156',
    outDir: join(root, 'dist/preload'),
    rolldownOptions: { external: ['electron'], output: { codeSplitting: false } },
  },
};

const renderer: InlineConfig = {
  configFile: join(root, 'renderer/vite.config.ts'),
  root: join(root, 'renderer'),
  build: { outDir: join(root, 'dist/renderer') },
};

/** What is the same for every part. */
function bundle(config: InlineConfig): Promise<unknown> {
  return build({
    configFile: false,
    root,
    mode: values.dev ? 'development' : 'production',
    logLevel: 'warn',
    ...config,
    build: {
      emptyOutDir: true,
      sourcemap: values.dev,
      reportCompressedSize: false,
      // Of kB in one file: what a page loads comes from this machine's disk.
      chunkSizeWarningLimit: 2_000,
      ...config.build,
    },
  });
}

const PARTS = new Map<string, () => Promise<unknown>>([
  ['main', () => bundle(main)],
  ['worker', () => bundle(worker)],
  ['preload', () => bundle(preload)],
  ['renderer', () => bundle(renderer)],
  ['icons', () => renderIcons(join(root, 'resources'), join(root, 'dist'))],
]);

const names = positionals.length > 0 ? positionals : [...PARTS.keys()];
const unknown = names.filter((name) => !PARTS.has(name));
if (unknown.length > 0) {
  console.error(
    `There is no part named ${unknown.join(', ')}. The parts are ${[...PARTS.keys()].join(', ')}.`,
  );
  process.exit(2);
}

const started = performance.now();
await Promise.all(names.flatMap((name) => PARTS.get(name) ?? []).map((make) => make()));
console.log(`Built ${names.join(', ')} in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
