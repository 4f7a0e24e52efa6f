import { kept } from './meters.ts';

export interface Money {
  readonly money: number;
  /** Calls of which not all is in it. */
  readonly unpriced: number;
  /** ISO 4217; null where no price was ever told. */
  readonly currency: string | null;
}

const SIGNS: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£' };

/** "$1.20", "≥ $1.20 (2 calls unpriced)", "price unknown (2 calls)": what is not known is never shown as nothing [P5]. */
export function moneyText({ money, unpriced, currency }: Money): string {
  if (unpriced === 0) return sumText(money, currency);
  const calls = `${unpriced} ${unpriced === 1 ? 'call' : 'calls'}`;
  return money === 0 ? `price unknown (${calls})` : `≥ ${sumText(money, currency)} (${calls} unpriced)`;
}

/** At least two digits behind the point, and as many as it has up to the millionth. */
export function sumText(money: number, currency: string | null): string {
  const [whole = '0', fraction = ''] = kept(money).toFixed(6).split('.');
  const digits = fraction.replace(/0+$/, '').padEnd(2, '0');
  const sign = currency === null ? undefined : SIGNS[currency];
  const amount = `${whole}.${digits}`;
  return sign === undefined ? `${amount}${currency === null ? '' : ` ${currency}`}` : `${sign}${amount}`;
}
