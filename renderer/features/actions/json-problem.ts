import { messageOf } from '../../../core/model/errors.ts';

/** A word or a sentence, as somebody enters it who means a text. */
const BARE = /^[\p{L}_][^{}[\]":]*$/u;

/** Why a text is not JSON and what to do, or null when it is. The text itself is what is sent, so no number changes. */
export function jsonProblem(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return 'Nothing entered.';
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    if (BARE.test(trimmed))
      return `Not JSON. If a text is meant, it stands in quotes: ${JSON.stringify(trimmed)}`;
    return `Not JSON: ${messageOf(error)}`;
  }
}
