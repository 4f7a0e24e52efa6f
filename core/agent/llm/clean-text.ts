// Texts from outside, before a model reads them.

/** What a terminal obeys, as a whole: an address or a title that it hides, a colour, a change of its alphabet. */
const SEQUENCES =
  /\u001b\][^\u0007\u001b]{0,1000}(?:\u0007|\u001b\\)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
/** What nobody sees and a model or a terminal may obey: controls, marks of direction, tags. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The same words, without what is not seen of them. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(SEQUENCES, '').replaceAll(UNSEEN, '');
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
