// Text from a server of tools, without what could play tricks on whoever reads it: a terminal, a person, or a model.

const ESCAPE = String.raw`\u001b`;
/** Sequences that a terminal obeys, then any control left, and the marks that turn text around or can't be seen. */
const SEQUENCES = new RegExp(
  `${ESCAPE}\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?|(?:${ESCAPE}\\[|\\u009b)[0-?]*[ -/]*[@-~]|${ESCAPE}[ -/]*[0-~]`,
  'g',
);
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function cleanText(text: string): string {
  return text.replaceAll(SEQUENCES, '').replaceAll(UNSEEN, '');
}

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
