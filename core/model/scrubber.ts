// Takes known values out of texts, in each of their forms, before anything is made of the texts [J10].
//
// * A text that holds none costs one look at every fifth place: every form has at least eight characters, so whatever stands
//   anywhere in it has four of its first eight at one of those places.
// * What is found is taken out whole, and everything that overlaps with it.
// * A value that is retired is gone from memory: a fingerprint of each form is left, by which it is still taken out.
// * What stands for a value is its name, which stays the same when the value is rotated.

import { fingerprinter, small, type Fingerprint } from './fingerprint.ts';
import { define, MAX_RECORDED_DEPTH, RawNumber } from './json.ts';
import { placeholderOf } from './placeholder.ts';
import { formsOf, MIN_SECRET_LENGTH } from './secret-forms.ts';

const WINDOW = 4;
const STRIDE = MIN_SECRET_LENGTH - WINDOW + 1;
const SLOTS = 1 << 16;
const NONE = -1;
/** The first whole number with as many digits as a secret has characters; smaller ones are not looked at. */
const LEAST_LONG = 10 ** (MIN_SECRET_LENGTH - 1);
const MAX_RETIRED = 1_000;
const MIN_FORGOTTEN = 1_000;

/** Whatever takes secrets out. */
export interface Scrub {
  /** The same text where none is in it. */
  text(text: string): string;
  /** The same value where none is in it, in its keys or in its texts. */
  json<T>(value: T): T;
}

/** Where nothing is known to be secret. */
export const NOTHING_SECRET: Scrub = { text: (text) => text, json: (value) => value };

interface Needle {
  readonly length: number;
  /** With small letters; or what is left of it. */
  readonly form: string | Fingerprint;
  readonly name: string;
}

interface Known {
  readonly name: string;
  readonly needles: readonly number[];
}

interface Match {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export class Scrubber implements Scrub {
  /** Made with the first value: most workers are never given one. */
  #heads = new Int32Array(0);
  /** A bit for each slot that was ever taken: small enough to be at hand all the time. */
  readonly #taken = new Uint32Array(SLOTS / 32);
  /** Of each place in a form that may be looked at: the next with the same hash, its form, and where in it. */
  #next: number[] = [];
  #formAt: number[] = [];
  #offset: number[] = [];
  /** Null: forgotten. */
  #needles: (Needle | null)[] = [];
  #forgotten = 0;
  readonly #values = new Map<string, Known>();
  /** By the fingerprint of the value. */
  readonly #retired = new Map<string, readonly number[]>();
  readonly #fingerprint = fingerprinter();

  /** A value that is known goes by the name that it has. */
  know(name: string, value: string): void {
    if (value.length < MIN_SECRET_LENGTH || this.#values.has(value)) return;
    if (this.#heads.length === 0) this.#heads = new Int32Array(SLOTS).fill(NONE);
    const needles: number[] = [];
    for (const form of formsOf(value)) needles.push(this.#add(folded(form), name));
    this.#values.set(value, { name, needles });
    this.#drop(this.#keyOf(value));
  }

  /** From now on its fingerprint is all that is left of it here. */
  retire(value: string): void {
    const known = this.#values.get(value);
    if (known === undefined) return;
    this.#values.delete(value);
    for (const at of known.needles) {
      const { form, ...needle } = this.#needles[at]!;
      if (typeof form === 'string')
        this.#needles[at] = { ...needle, form: this.#fingerprint(form, 0, form.length) };
    }
    this.#retired.set(this.#keyOf(value), known.needles);
    if (this.#retired.size > MAX_RETIRED) this.#drop(this.#retired.keys().next().value!);
  }

  #keyOf(value: string): string {
    return JSON.stringify(this.#fingerprint(value, 0, value.length));
  }

  #drop(retired: string): void {
    const needles = this.#retired.get(retired) ?? [];
    this.#retired.delete(retired);
    for (const needle of needles) this.#needles[needle] = null;
    this.#forgotten += needles.length;
    if (this.#forgotten > MIN_FORGOTTEN && this.#forgotten > this.#needles.length / 2) this.#compact();
  }

  get #isEmpty(): boolean {
    return this.#values.size === 0 && this.#retired.size === 0;
  }

  /** Whether it is such a value, as it is. */
  knows(value: string): boolean {
    return this.#values.has(value);
  }

  text(text: string): string {
    if (this.#isEmpty || text.length < MIN_SECRET_LENGTH) return text;
    const found = this.#find(text);
    return found === null ? text : replaced(text, found);
  }

  json<T>(value: T): T {
    if (this.#isEmpty) return value;
    try {
      return this.#walk(value, 0) as T;
    } catch (error) {
      // Nested deeper than anything that is recorded: whoever would record it refuses it.
      if (error === TOO_DEEP) return value;
      throw error;
    }
  }

  #walk(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number')
      return Math.abs(value) < LEAST_LONG ? value : this.#number(value, String(value));
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    if (value instanceof RawNumber) return this.#number(value, value.source);
    if (depth > MAX_RECORDED_DEPTH) throw TOO_DEEP;
    return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
  }

  /** Only one that is a value as it stands: part of a number says nothing. */
  #number(value: unknown, text: string): unknown {
    const clean = this.text(text);
    return clean.startsWith('[') && clean.endsWith(']') ? clean : value;
  }

  #array(value: readonly unknown[], depth: number): readonly unknown[] {
    let copy: unknown[] | null = null;
    for (let at = 0; at < value.length; at += 1) {
      const item = this.#walk(value[at], depth + 1);
      if (copy === null && item !== value[at]) copy = value.slice(0, at);
      copy?.push(item);
    }
    return copy ?? value;
  }

  #object(value: object, depth: number): object {
    let copy: Record<string, unknown> | null = null;
    const keys = Object.keys(value);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at]!;
      const before = (value as Record<string, unknown>)[key];
      const item = this.#walk(before, depth + 1);
      const name = this.text(key);
      if (copy === null && (item !== before || name !== key)) {
        copy = {};
        for (const done of keys.slice(0, at)) define(copy, done, (value as Record<string, unknown>)[done]);
      }
      if (copy !== null) define(copy, name === key ? key : freeKey(copy, name), item);
    }
    return copy ?? value;
  }

  /** Null for nothing, which is what nearly every text holds. */
  #find(text: string): Match[] | null {
    let found: Match[] | null = null;
    const taken = this.#taken;
    const last = text.length - WINDOW;
    for (let at = 0; at <= last; at += STRIDE) {
      const slot = hashAt(text, at);
      if (((taken[slot >> 5]! >>> (slot & 31)) & 1) === 0) continue;
      for (let entry = this.#heads[slot]!; entry !== NONE; entry = this.#next[entry]!) {
        const needle = this.#needles[this.#formAt[entry]!];
        const from = at - this.#offset[entry]!;
        if (needle == null || !this.#isAt(text, from, needle)) continue;
        found ??= [];
        found.push({ from, to: from + needle.length, name: needle.name });
      }
    }
    return found;
  }

  #isAt(text: string, from: number, { form, length }: Needle): boolean {
    if (from < 0 || from + length > text.length) return false;
    if (typeof form === 'string') return isAt(text, from, form);
    return this.#fingerprint.isOf(form, text, from, length);
  }

  #add(text: string, name: string): number {
    const form = this.#needles.push({ length: text.length, form: text, name }) - 1;
    for (let offset = 0; offset < STRIDE; offset += 1) {
      const slot = hashAt(text, offset);
      const entry = this.#next.push(this.#heads[slot]!) - 1;
      this.#formAt.push(form);
      this.#offset.push(offset);
      this.#heads[slot] = entry;
      this.#taken[slot >> 5]! |= 1 << (slot & 31);
    }
    return form;
  }

  #compact(): void {
    const [next, formAt, offset]: [number[], number[], number[]] = [[], [], []];
    for (let slot = 0; slot < SLOTS; slot += 1) {
      let head = NONE;
      for (let entry = this.#heads[slot]!; entry !== NONE; entry = this.#next[entry]!) {
        if (this.#needles[this.#formAt[entry]!] == null) continue;
        formAt.push(this.#formAt[entry]!);
        offset.push(this.#offset[entry]!);
        head = next.push(head) - 1;
      }
      this.#heads[slot] = head;
    }
    this.#next = next;
    this.#formAt = formAt;
    this.#offset = offset;
    // Their numbers stay theirs; what is forgotten takes up a word.
    this.#forgotten = 0;
  }
}

const TOO_DEEP = new Error('nested too deep');

/** Without the case of letters. */
function hashAt(text: string, at: number): number {
  const first = (text.charCodeAt(at) | 32) * 31 + (text.charCodeAt(at + 1) | 32);
  const second = (text.charCodeAt(at + 2) | 32) * 31 + (text.charCodeAt(at + 3) | 32);
  return (first * 1009 + second * 7) & (SLOTS - 1);
}

function isAt(text: string, from: number, needle: string): boolean {
  for (let at = 0; at < needle.length; at += 1) {
    if (small(text.charCodeAt(from + at)) !== needle.charCodeAt(at)) return false;
  }
  return true;
}

function folded(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function replaced(text: string, found: Match[]): string {
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  let written = '';
  let done = 0;
  let at = 0;
  while (at < found.length) {
    const { from, name } = found[at]!;
    let { to } = found[at]!;
    for (at += 1; at < found.length && found[at]!.from < to; at += 1) to = Math.max(to, found[at]!.to);
    written += text.slice(done, from) + placeholderOf(name);
    done = to;
  }
  return written + text.slice(done);
}

/** Two keys may have held the same value in different forms, and both are kept. */
function freeKey(copy: object, name: string): string {
  let key = name;
  for (let count = 2; Object.hasOwn(copy, key); count += 1) key = `${name} ${count}`;
  return key;
}
