// The forms that a value takes where somebody writes it down: as it is, and as it is escaped or encoded on its way into
// texts, addresses, headers and pages. Letters are compared without their case, so one spelling of each is enough.

/** Shorter ones are refused as secrets: what is replaced wherever it stands must not stand everywhere. */
export const MIN_SECRET_LENGTH = 8;
/** Of a line of a value of several lines, which is looked for by itself. */
const MIN_LINE_LENGTH = 16;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LETTERS_AND_DIGITS = /[A-Za-z0-9]/;
/** What each way to write an address leaves as it is, beside letters and digits. */
const LEFT_IN_ADDRESSES: readonly string[] = ["-_.!~*'()", '-_.~', '*-._', ''];
const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** All of them, those of its longer lines among them; none is shorter than a secret may be. */
export function formsOf(value: string): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const part of partsOf(value)) {
    for (const form of formsOfPart(part)) if (form.length >= MIN_SECRET_LENGTH) forms.add(form);
  }
  return forms;
}

/** The value, and each line by which it would be known: output comes in lines. */
function partsOf(value: string): readonly string[] {
  const lines = value.split(/\r\n|\r|\n/);
  if (lines.length === 1) return [value];
  const known = lines.map((line) => line.trim()).filter((line) => line.length >= MIN_LINE_LENGTH);
  // What begins and ends a key in letters is the same in all of them.
  return [value, ...known.filter((line) => !line.startsWith('-----'))];
}

function formsOfPart(value: string): readonly string[] {
  const bytes = utf8Of(value);
  const json = inJson(value);
  const ascii = withoutOthers(json);
  const once = percentOf(bytes, LEFT_IN_ADDRESSES[0]!);
  return [
    value,
    json,
    ascii,
    json.replaceAll('/', '\\/'),
    inJson(json),
    inJson(ascii),
    inSingleQuotes(value),
    unitsOf(value, (unit) => `\\u${hexOf(unit, 4)}`),
    inJson(unitsOf(value, (unit) => `\\u${hexOf(unit, 4)}`)),
    unitsOf(value, (unit) => `&#${unit};`),
    unitsOf(value, (unit) => `&#x${unit.toString(16)};`),
    value.replaceAll(/[&<>"']/g, (character) => NAMED[character]!),
    ...LEFT_IN_ADDRESSES.map((left) => percentOf(bytes, left)),
    ...LEFT_IN_ADDRESSES.map((left) => percentOf(bytes, left).replaceAll('%20', '+')),
    percentOf(utf8Of(once), LEFT_IN_ADDRESSES[0]!),
    bytes.map((byte) => hexOf(byte, 2)).join(''),
    bytes.map((byte) => `\\x${hexOf(byte, 2)}`).join(''),
    ...[0, 1, 2].flatMap((before) => {
      const inside = base64Inside(bytes, before);
      return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As writers of ASCII have it. */
function withoutOthers(text: string): string {
  return unitsOf(text, (unit) => (unit > 0x7e ? `\\u${hexOf(unit, 4)}` : String.fromCharCode(unit)));
}

/** As Node shows a text inside of an object. */
function inSingleQuotes(text: string): string {
  return inJson(text).replaceAll('\\"', '"').replaceAll("'", "\\'");
}

function unitsOf(text: string, write: (unit: number) => string): string {
  let written = '';
  for (let at = 0; at < text.length; at += 1) written += write(text.charCodeAt(at));
  return written;
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function percentOf(bytes: readonly number[], left: string): string {
  return bytes
    .map((byte) => {
      const character = String.fromCharCode(byte);
      const stays = left !== '' && (LETTERS_AND_DIGITS.test(character) || left.includes(character));
      return stays ? character : `%${hexOf(byte, 2)}`;
    })
    .join('');
}

/** The characters that the bytes alone decide, behind so many other bytes and before any others. */
function base64Inside(bytes: readonly number[], before: number): string {
  const padded = [...Array.from({ length: before }, () => 0), ...bytes];
  const characters = Math.floor((padded.length * 8) / 6);
  let text = '';
  for (let at = Math.ceil((before * 8) / 6); at < characters; at += 1) {
    const bit = at * 6;
    const byte = Math.floor(bit / 8);
    const pair = (padded[byte]! << 8) | (padded[byte + 1] ?? 0);
    text += BASE64[(pair >> (10 - (bit % 8))) & 63]!;
  }
  return text;
}

/** Half of a pair is written as what stands for what is no character, as everybody else does. */
function utf8Of(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const character of text.toWellFormed()) {
    const point = character.codePointAt(0)!;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000) {
      bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    } else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63));
      bytes.push(0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    }
  }
  return bytes;
}
