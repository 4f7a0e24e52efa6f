// The forms in which a planted secret is let out, made by other code than the one that finds them.

type Encode = (secret: string) => readonly string[];

const bytes = (text: string): Buffer => Buffer.from(text);
const everyUnit = (text: string, write: (unit: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('');

/** Each by itself; a name gives a family of spellings. */
export const ENCODINGS: Readonly<Record<string, Encode>> = {
  plain: (secret) => [secret],
  'other case': (secret) => [secret.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())],
  base64: (secret) => [bytes(secret).toString('base64'), bytes(secret).toString('base64').replace(/=+$/, '')],
  base64url: (secret) => [bytes(secret).toString('base64url')],
  hex: (secret) => [bytes(secret).toString('hex'), bytes(secret).toString('hex').toUpperCase()],
  'in an address': (secret) => [
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
    encodeURIComponent(encodeURIComponent(secret)),
    everyByte(secret, '%'),
  ],
  'in a form': (secret) => [new URLSearchParams([['k', secret]]).toString().slice(2)],
  'in JSON': (secret) => [
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  ],
  'escaped to ASCII': (secret) => [
    everyUnit(JSON.stringify(secret).slice(1, -1), (unit) =>
      unit > 0x7e ? `\\u${unit.toString(16).padStart(4, '0')}` : String.fromCharCode(unit),
    ),
    everyUnit(secret, (unit) => `\\u${unit.toString(16).padStart(4, '0').toUpperCase()}`),
    everyUnit(secret, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`),
    everyByte(secret, '\\x'),
  ],
  'in a page': (secret) => [
    everyUnit(secret, (unit) => `&#${unit};`),
    everyUnit(secret, (unit) => `&#x${unit.toString(16)};`),
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  ],
};

function everyByte(secret: string, mark: string): string {
  return [...bytes(secret)].map((byte) => `${mark}${byte.toString(16).padStart(2, '0')}`).join('');
}

/** All of them, once each. */
export function allForms(secret: string): readonly string[] {
  return [...new Set(Object.values(ENCODINGS).flatMap((encode) => encode(secret)))];
}
