import { messageOf } from '../../../core/model/errors.ts';

/** Why a text is not JSON, or null when it is. The text itself is what is sent, so no number changes. */
export function jsonProblem(text: string): string | null {
  if (text.trim() === '') return 'Nothing entered.';
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
