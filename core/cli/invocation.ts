// How this program was called, where npm stands in between.

import { resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The scripts of ours that lead here. What other scripts start was called directly, by them. */
const OURS = ['holdfast', 'start'];

/** The absolute path that was meant: npm runs its scripts in the clone, not where the person typed them. */
export function pathAsTyped(path: string, env: Environment, cwd: string): string {
  const from = env['npm_lifecycle_event'] === 'holdfast' ? env['INIT_CWD'] : undefined;
  return resolve(from ?? cwd, path);
}

/** The line to type for `holdfast <words>`. */
export function lineToType(words: readonly string[], env: Environment, platform: NodeJS.Platform): string {
  const isScript = OURS.includes(env['npm_lifecycle_event'] ?? '');
  const called = isScript ? 'npm run -s holdfast --' : 'holdfast';
  return [called, ...words.map((word) => quoted(word, platform))].join(' ');
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
