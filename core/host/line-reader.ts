/** Gives what arrives in pieces as whole lines of UTF-8, without their line feeds. */
export type LineReader = (chunk: Buffer) => void;

const LINE_FEED = 10;

/** Keeps at most `maxBytes` of an unfinished line: a longer one is told once, and nothing is read after it. */
export function lineReader(
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): LineReader {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  let isOver = false;

  /** False when there is no room for it. */
  const take = (part: Buffer): boolean => {
    sizeBytes += part.length;
    if (sizeBytes <= maxBytes) {
      parts.push(part);
      return true;
    }
    isOver = true;
    parts = [];
    onTooLong();
    return false;
  };
  return (chunk) => {
    if (isOver) return;
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      if (!take(chunk.subarray(from, at))) return;
      from = at + 1;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      sizeBytes = 0;
      onLine(line);
    }
    if (from < chunk.length) take(chunk.subarray(from));
  };
}
