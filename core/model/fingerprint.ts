// What is left of a text that is not to stay in memory: enough to know it again, and not enough to have it. Salted, so that it is
// of no use to anybody else. Of text without the case of its letters.

/** Of the first characters, and twice of all. */
export type Fingerprint = readonly [head: number, first: number, second: number];

export interface Fingerprinter {
  (text: string, from: number, length: number): Fingerprint;
  /** Whether what stands there is what the fingerprint is of; its length is the same. */
  isOf(of: Fingerprint, text: string, from: number, length: number): boolean;
}

const HEAD = 8;

export function fingerprinter(): Fingerprinter {
  const salts = [Math.random(), Math.random(), Math.random()].map(
    (random) => Math.floor(random * 2 ** 32) | 1,
  );
  const [ofHead = 1, ofFirst = 1, ofSecond = 1] = salts;
  const hash = (salt: number, text: string, from: number, length: number): number => {
    let mixed = salt;
    for (let at = from; at < from + length; at += 1) {
      mixed = Math.imul(mixed ^ small(text.charCodeAt(at)), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    return mixed;
  };
  const of: Omit<Fingerprinter, 'isOf'> & ((text: string, from: number, length: number) => Fingerprint) = (
    text,
    from,
    length,
  ) => [
    hash(ofHead, text, from, Math.min(HEAD, length)),
    hash(ofFirst, text, from, length),
    hash(ofSecond, text, from, length),
  ];
  return Object.assign(of, {
    isOf: ([head, first, second]: Fingerprint, text: string, from: number, length: number): boolean =>
      hash(ofHead, text, from, Math.min(HEAD, length)) === head &&
      hash(ofFirst, text, from, length) === first &&
      hash(ofSecond, text, from, length) === second,
  });
}

/** The small letter of a capital one, of the alphabet that ASCII has. */
export function small(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit + 32 : unit;
}
