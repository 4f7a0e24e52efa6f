import { MAX_AMOUNT } from '../../../core/model/budget.ts';

/** What was entered as an amount; null where it is none. */
export function amountOf(text: string): number | null {
  const value = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  return value > 0 && value <= MAX_AMOUNT ? value : null;
}

/** What is wrong with what was entered, if anything was. */
export function amountProblem(text: string): string | null {
  if (text.trim() === '' || amountOf(text) !== null) return null;
  return `A number above 0 and up to ${MAX_AMOUNT}, with a point before its fraction.`;
}
