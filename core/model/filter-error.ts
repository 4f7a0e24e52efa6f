import { AppError } from './errors.ts';
import { countPoints } from './filter-text.ts';

const EXCERPT = 60;

/**
 * What is wrong with a filter expression, where, and what stands there.
 * @param at in UTF-16 units from its beginning; a person reads it as a column, in characters from 1
 */
export function badFilter(text: string, at: number, why: string): AppError {
  const column = countPoints(text.slice(0, at)) + 1;
  const excerpt = excerptOf(text, at - EXCERPT / 3, at + (EXCERPT * 2) / 3);
  return new AppError(
    'trigger.bad-filter',
    `The filter can't be used: at column ${column}, ${why}. It reads: ${excerpt}`,
    { column, why, excerpt },
  );
}

/** A part of an expression as one line; dots where something is left out. */
export function excerptOf(text: string, from: number, to: number): string {
  const begin = Math.max(0, Math.floor(from));
  const end = Math.min(text.length, Math.ceil(to));
  const part = text
    .slice(begin, end)
    .toWellFormed()
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return `${begin > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`;
}
