// How well a record answers a search, from 0 to 1.
//
// Words: BM25 as a share of the most that any record could get for this search, so that it says the same in a memory of ten
// records and of a hundred thousand. Each word of the search weighs `ln(1 + (N - n + 0.5) / (n + 0.5))`, where n of N records
// have it; one that none has weighs as if one had. A record has as much of that weight as BM25's `tf (k1 + 1) / (tf + k1 (1 - b
// + b length / average))`, k1 = 1.2 and b = 0.75, of what a word alone in a very short text gets. So 1 is a short text with
// all words, and a text of average length with all of them once has about 0.6.
//
// Vectors: the cosine, where it is above 0. Both: 0.7 of the cosine and 0.3 of the words; a record without a vector of this
// model has its words alone.

const K1 = 1.2;
const B = 0.75;
const MOST = (K1 + 1) / (1 + K1 * (1 - B));
const COSINE_SHARE = 0.7;

export interface Weighed {
  readonly word: string;
  readonly weight: number;
}

/** `having`: in how many of `records` the word is. */
export function weightOf(having: number, records: number): number {
  const n = Math.max(1, having);
  return Math.log(1 + (Math.max(n, records) - n + 0.5) / (n + 0.5));
}

export function wordScore(
  words: readonly string[],
  search: readonly Weighed[],
  averageLength: number,
): number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const long = K1 * (1 - B + (B * words.length) / Math.max(1, averageLength));
  let [has, most] = [0, 0];
  for (const { word, weight } of search) {
    most += weight;
    const count = counts.get(word) ?? 0;
    if (count > 0) has += weight * Math.min(1, (count * (K1 + 1)) / (count + long) / MOST);
  }
  return most === 0 ? 0 : has / most;
}

/** `alike`: the cosine; null where there is none. */
export function scoreOf(words: number, alike: number | null): number {
  if (alike === null) return words;
  return COSINE_SHARE * Math.max(0, alike) + (1 - COSINE_SHARE) * words;
}
