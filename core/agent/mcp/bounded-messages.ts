// Messages of a server, one a line, and none larger than it may be: a larger one is let by without being kept. Which call it
// was meant to answer stands near one of its ends.

/** So much of either end of a line that is too long is looked at. */
const END_BYTES = 512;
const LINE_FEED = 0x0a;

export interface OverlongLine {
  readonly bytes: number;
  /** The number of the request that it answers; null where it does not say so where one would look. */
  readonly answers: number | null;
}

export interface LineEvents {
  readonly onLine: (line: string) => void;
  readonly onOverlong: (line: OverlongLine) => void;
}

export function boundedMessages(
  maxBytes: number,
  { onLine, onOverlong }: LineEvents,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Of an overlong line. */
  let head: Buffer | null = null;
  let tail = Buffer.alloc(0);

  const add = (part: Buffer): void => {
    bytes += part.length;
    if (head !== null) tail = lastOf(Buffer.concat([tail, lastOf(part)]));
    else if (bytes <= maxBytes) parts.push(part);
    else {
      const whole = Buffer.concat([...parts, part.subarray(0, END_BYTES)]);
      head = Buffer.from(whole.subarray(0, END_BYTES));
      tail = lastOf(Buffer.concat([lastOf(whole), lastOf(part)]));
      parts = [];
    }
  };

  const end = (): void => {
    if (head !== null)
      onOverlong({ bytes, answers: answeredIn(head.toString('utf8'), tail.toString('utf8')) });
    else if (bytes > 0) onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    bytes = 0;
    head = null;
    tail = Buffer.alloc(0);
  };

  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      if (at > from) add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    // What is kept must not keep the whole chunk alive for ever, nor be changed under it.
    if (from < chunk.length) add(head === null ? Buffer.from(chunk.subarray(from)) : chunk.subarray(from));
  };
}

function lastOf(part: Buffer): Buffer<ArrayBuffer> {
  return Buffer.from(part.subarray(Math.max(0, part.length - END_BYTES)));
}

/** The id of a response that begins and ends like this. */
export function answeredIn(head: string, tail: string): number | null {
  const first = /^\s*\{(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,9})\s*,/.exec(head);
  const last = /,\s*"id"\s*:\s*(\d{1,9})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const id = first?.[1] ?? last?.[1];
  return id === undefined ? null : Number(id);
}
