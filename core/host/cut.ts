// Text on its way to a screen is bounded, and so is the work of making it: nothing behind the limit is looked at.

import { RawNumber, type Json, type JsonObject } from '../model/json.ts';

/** The text, or as much of its beginning as fits into `max` characters with the mark that there is more. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${beginning(text, max - 1)}…`;
}

export function cutOrNull(text: string | null, max: number): string | null {
  return text === null ? null : cut(text, max);
}

/** What `showJson` gives, cut at `max` characters. */
export function showCut(value: Json, max: number, indent = 0): { text: string; cut: boolean } {
  let text = '';
  const write = (item: Json, margin: string): void => {
    if (item instanceof RawNumber) text += item.source;
    else if (typeof item === 'string') text += quoted(item, max + 1 - text.length);
    else if (Array.isArray(item)) {
      const items = item as readonly Json[];
      list('[', ']', items.length, margin, (at, inner) => write(items[at]!, inner));
    } else if (typeof item === 'object' && item !== null) {
      const keys = Object.keys(item);
      list('{', '}', keys.length, margin, (at, inner) => {
        const key = keys[at]!;
        text += `${quoted(key, max + 1 - text.length)}:${indent === 0 ? '' : ' '}`;
        write((item as JsonObject)[key]!, inner);
      });
    } else text += JSON.stringify(item);
  };
  const list = (
    open: string,
    close: string,
    length: number,
    margin: string,
    each: (at: number, margin: string) => void,
  ): void => {
    const inner = margin + ' '.repeat(indent);
    text += open;
    for (let at = 0; at < length && text.length <= max; at += 1) {
      text += `${at === 0 ? '' : ','}${indent === 0 ? '' : `\n${inner}`}`;
      each(at, inner);
    }
    text += `${length === 0 || indent === 0 ? '' : `\n${margin}`}${close}`;
  };
  write(value, '');
  return text.length <= max ? { text, cut: false } : { text: beginning(text, max), cut: true };
}

/** At least `room` characters of what a longer text is as JSON. */
function quoted(text: string, room: number): string {
  return JSON.stringify(text.length > room ? text.slice(0, Math.max(0, room)) : text);
}

/** Without the half of a character. */
function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
