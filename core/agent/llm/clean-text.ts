// Texts from outside, before a model reads them.

/** What a terminal obeys, as a whole: an address or a title that it hides, a colour, a change of its alphabet. */
const SEQUENCES =
  /\u001b\][^\u0007\u001b]{0,1000}(?:\u0007|\u001b\\)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
/** What nobody sees and a model or a terminal may obey: controls, and separators that no reader breaks a line at. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]/g;
/**
 * Marks of direction, tags, fillers and the like: what has no shape of its own, of which there are enough to write in. What
 * makes another shape of the letter before it is one form and one joiner.
 */
const SHAPELESS = /\p{Default_Ignorable_Code_Point}+/gu;
const OF_A_LETTER = /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]?[\u200c\u200d]?/u;

/** The same words, without what is not seen of them. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(SEQUENCES, '')
    .replaceAll(UNSEEN, '')
    .replaceAll(SHAPELESS, (run) => OF_A_LETTER.exec(run)![0]);
}

/** In one line, for what stands beside other things in it. */
export function cleanLine(text: string, max: number): string {
  return cutText(cleanText(text).replaceAll(/\s+/g, ' ').trim(), max);
}

/** At most so many characters; where something is left out, that is said. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).toWellFormed()}… [cut: ${text.length} characters in all]`;
}
