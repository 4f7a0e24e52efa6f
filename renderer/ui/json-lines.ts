const INDENT = '  ';

/**
 * JSON text broken into indented lines, every token as written: no number is read, so none changes. Text that is not
 * JSON, or is cut, comes out with all its characters too.
 */
export function jsonLines(text: string): string {
  let out = '';
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (inString) {
      out += char;
      if (char === '\\') out += text[(at += 1)] ?? '';
      else if (char === '"') inString = false;
      continue;
    }
    switch (char) {
      case '"':
        inString = true;
        out += char;
        break;
      case '{':
      case '[': {
        const close = nextSolid(text, at + 1);
        if (text[close] === '}' || text[close] === ']') {
          out += char + text[close];
          at = close;
        } else {
          depth += 1;
          out += `${char}${line(depth)}`;
          at = close - 1;
        }
        break;
      }
      case '}':
      case ']':
        depth = Math.max(0, depth - 1);
        out += `${line(depth)}${char}`;
        break;
      case ',':
        out += `${char}${line(depth)}`;
        at = nextSolid(text, at + 1) - 1;
        break;
      case ':':
        out += ': ';
        at = nextSolid(text, at + 1) - 1;
        break;
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break;
      default:
        out += char;
    }
  }
  return out;
}

const line = (depth: number): string => `\n${INDENT.repeat(Math.min(depth, 40))}`;

function nextSolid(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at += 1;
  return at;
}
