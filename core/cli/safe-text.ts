/** Controls, and the marks that turn text around: harmless when shown as what they are. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Journal text for a terminal: controls and bidirectional marks made visible, line breaks and tabs as one space. */
export function safeText(text: string): string {
  return visible(text.replaceAll(/\s*[\n\r\t]\s*/g, ' '));
}

/** Every unsafe character as its escape, which in JSON means the same. */
export function visible(text: string): string {
  return text.replaceAll(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Columns padded to their widest cell, two spaces between; the last one as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd(),
  );
}
