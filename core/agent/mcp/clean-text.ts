// Text from a server of tools, on its way into what is shown and offered.

import { cleanText } from '../llm/clean-text.ts';

/** Cleaned, and of at most so many characters. */
export function cleanCut(text: string, max: number): string {
  // Cleaning looks at no more than what could be left of it.
  const clean = cleanText(text.slice(0, 4 * max)).trim();
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).trimEnd()}…`;
}

/** On one line. */
export function cleanLine(text: string, max: number): string {
  return cleanCut(text.slice(0, 8 * max).replaceAll(/\s+/g, ' '), max);
}
