import { matchesGlob } from 'node:path';
import { AppError } from '../model/errors.ts';

/**
 * Globs on a file's name, `*` standing for hidden names too, as in Promptise.
 * @throws `trigger.bad-pattern`
 */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  for (const pattern of patterns) {
    if (pattern === '' || pattern.includes('/')) {
      throw new AppError(
        'trigger.bad-pattern',
        `"${pattern}" matches no file: patterns are for the name alone, without its folders. Write "*.csv", say.`,
        { pattern },
      );
    }
  }
  // What most triggers have, and it is asked for every file of a tree.
  if (patterns.includes('*')) return () => true;
  return (name) => patterns.some((pattern) => matches(name, pattern));
}

function matches(name: string, pattern: string): boolean {
  if (matchesGlob(name, pattern)) return true;
  if (!name.startsWith('.')) return false;
  // A wildcard at the beginning refuses a dot; with another character in its place it does not.
  if (pattern.startsWith('*')) return matchesGlob(`_${name}`, pattern);
  return pattern.startsWith('?') && matchesGlob(`_${name.slice(1)}`, pattern);
}
