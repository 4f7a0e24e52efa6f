// What a budget has used, counted another way: every single booking is kept, with what became of it.

import type { EffectEnd } from '../../core/model/effects.ts';
import { withoutUsage, type Amounts, type Meter } from '../../core/model/meters.ts';

/** In millionths, so that they are whole numbers. */
type Micros = Partial<Record<Meter, number>>;

interface Booking {
  readonly eventId: string;
  readonly effectId: string;
  amounts: Amounts;
  /** For the how-manieth day it counts as used. */
  state: 'reserved' | 'given back' | { readonly spentOn: number };
}

/** Every booking there ever was, and what became of it. */
export class Count {
  readonly bookings: Booking[] = [];
  day = 0;

  book(eventId: string, effectId: string, amounts: Amounts): void {
    this.bookings.push({ eventId, effectId, amounts, state: 'reserved' });
  }

  #reserved(of: Partial<Pick<Booking, 'eventId' | 'effectId'>>): Booking[] {
    return this.bookings.filter(
      ({ eventId, effectId, state }) =>
        state === 'reserved' &&
        (of.eventId === undefined || of.eventId === eventId) &&
        (of.effectId === undefined || of.effectId === effectId),
    );
  }

  spend(of: Partial<Pick<Booking, 'eventId' | 'effectId'>>): void {
    for (const booking of this.#reserved(of)) booking.state = { spentOn: this.day };
  }

  giveBack(effectId: string): void {
    for (const booking of this.#reserved({ effectId })) booking.state = 'given back';
  }

  /** The attempt under way told what it used, beside how it ended. */
  told(eventId: string, effectId: string, end: EffectEnd['kind'], used: Amounts): void {
    const last = this.#reserved({ effectId }).at(-1)!;
    if (end === 'done') {
      last.amounts = used;
      return;
    }
    last.amounts = withoutUsage(last.amounts);
    this.bookings.push({ eventId, effectId, amounts: used, state: { spentOn: this.day } });
  }

  withdraw(effectId: string): void {
    this.#reserved({ effectId }).at(-1)!.state = 'given back';
  }

  spent(eventId: string | null): Amounts {
    return sumOf(
      this.bookings.filter(({ state, ...booking }) =>
        typeof state === 'string'
          ? false
          : eventId === null
            ? state.spentOn === this.day
            : booking.eventId === eventId && booking.effectId !== '',
      ),
    );
  }

  reserved(eventId: string | null): Amounts {
    return sumOf(this.#reserved(eventId === null ? {} : { eventId }));
  }
}

function sumOf(bookings: readonly Booking[]): Amounts {
  const micros: Micros = {};
  for (const { amounts } of bookings) {
    for (const [meter, amount] of Object.entries(amounts) as [Meter, number][]) {
      micros[meter] = (micros[meter] ?? 0) + Math.round(amount * 1e6);
    }
  }
  return Object.fromEntries(Object.entries(micros).map(([meter, amount]) => [meter, amount / 1e6]));
}
