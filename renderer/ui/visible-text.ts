// Journal text is hostile: what would hide, reorder or overwrite other text is shown for what it is.

const SUSPECT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Scripts and emoji need the two joiners; they move nothing. */
const JOINERS = new Set(['\u{200c}', '\u{200d}']);

/** Text of one line: line feeds and tabs become signs that take no room of their own. */
export function visibleLine(text: string): string {
  return text.replace(SUSPECT, (char) => (char === '\n' ? '↵' : char === '\t' ? '→' : signOf(char)));
}

/** Text of many lines: line feeds and tabs do their work. */
export function visibleBlock(text: string): string {
  return text.replace(SUSPECT, (char) => (char === '\n' || char === '\t' ? char : signOf(char)));
}

function signOf(char: string): string {
  if (JOINERS.has(char)) return char;
  return `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
