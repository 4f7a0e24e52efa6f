// Which setting of a manifest the cursor is at, by its indentation: as good as an editor needs, and never in the way of a text
// that is only half written.

interface Line {
  readonly indent: number;
  readonly key: string | null;
  /** Whether an item of a list begins in it, and where. */
  readonly item: number | null;
}

/** The keys that lead to the setting at this place of a text; an item of a list is its number. */
export function placeInText(text: string, at: number): readonly string[] {
  const lines = text.slice(0, endOfLine(text, at)).split('\n').map(lineOf);
  const last = lines.findLastIndex((line) => line !== null);
  if (last === -1) return [];
  const keys: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (let index = last; index >= 0; index -= 1) {
    const line = lines[index];
    if (line == null) continue;
    if (line.key !== null && line.indent < indent) {
      keys.unshift(line.key);
      indent = line.indent;
    }
    if (line.item !== null && line.item < indent) {
      keys.unshift(String(itemsBefore(lines, index, line.item)));
      indent = line.item;
    }
    if (indent === 0) break;
  }
  return keys;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Null for what is blank or a comment. */
function lineOf(text: string): Line | null {
  const found = /^(\s*)(-\s+|-$)?(?:(["']?)([^\s"':#][^"':]*?)\3\s*:(?:\s|$))?/.exec(text);
  const [, space = '', dash, , key] = found ?? [];
  if (text.trim() === '' || /^\s*#/.test(text)) return null;
  const item = dash === undefined ? null : space.length;
  return { indent: space.length + (dash?.length ?? 0), key: key ?? null, item };
}

/** How many items of the same list come before this one. */
function itemsBefore(lines: readonly (Line | null)[], at: number, indent: number): number {
  let count = 0;
  for (let index = at - 1; index >= 0; index -= 1) {
    const line = lines[index];
    if (line == null) continue;
    if (line.item === indent) count += 1;
    else if ((line.item ?? line.indent) < indent || (line.item === null && line.indent <= indent)) break;
  }
  return count;
}

/** Where a line begins and ends; from 1. */
export function rangeOfLine(text: string, line: number): readonly [number, number] {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const next = text.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  return [start, endOfLine(text, start)];
}
