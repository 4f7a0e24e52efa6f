// The words of a text, as they are looked up: small letters without accents. Nothing that somebody writes reaches the
// language of the index, which has operators.

/** What is longer is a word that begins like it. */
const MAX_WORD = 40;
/** Scripts that put no spaces between words: every two signs are looked up. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu;

/** In their order, each as often as it is there. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
  for (const [word] of plain.matchAll(WORD)) {
    if (UNSPACED.test(word)) pairsOf(word, words);
    else words.push(firstSigns(word));
  }
  return words;
}

function firstSigns(word: string): string {
  return word.length <= MAX_WORD ? word : Array.from(word).slice(0, MAX_WORD).join('');
}

function pairsOf(word: string, words: string[]): void {
  const signs = Array.from(word);
  if (signs.length === 1) words.push(word);
  for (let at = 1; at < signs.length; at += 1) words.push(signs[at - 1]! + signs[at]!);
}
