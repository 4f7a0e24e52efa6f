import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the build is made of, and one file of each of its parts. */
const SOURCES = ['core', 'electron', 'renderer', 'resources/icons', 'resources/tray', 'package-lock.json'];
const PARTS = [
  'main/main.js',
  'worker/worker.js',
  'preload/preload.cjs',
  'renderer/index.html',
  'tray/ok.png',
];

/** Whether the build in `<root>/dist` is missing, or older than anything that it is made of. */
export function isBuildStale(root: string): boolean {
  const ages = PARTS.map((part) => changedMs(join(root, 'dist', part)) ?? 0);
  const built = Math.min(...ages);
  return built === 0 || SOURCES.some((source) => newestMs(join(root, source)) > built);
}

function newestMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return stats?.mtimeMs ?? 0;
  const inside = readdirSync(path, { recursive: true, encoding: 'utf8' });
  // A directory changes when a file in it comes or goes.
  return Math.max(stats.mtimeMs, ...inside.map((name) => changedMs(join(path, name)) ?? 0));
}

function changedMs(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
