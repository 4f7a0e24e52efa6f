// Comma-separated values as RFC 4180 has them, for spreadsheets: what looks like a formula to one is text here, since names
// are written by others.

/** A spreadsheet works out what begins like this, also behind blanks that it takes away. */
const FORMULA = /^\s*[=+\-@\t\r|%]/;

/** The break between lines. */
export const CSV_BREAK = '\r\n';

/** One line, without its break. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.map(cellText).join(',');
}

function cellText(cell: string | number): string {
  if (typeof cell === 'number') return decimalText(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Without an exponent, which not every reader takes for a number. */
function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/0+$/, '') : text;
}
