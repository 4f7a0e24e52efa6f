// What happened behind the entry that a process is taken back to, and stays as it is whatever becomes of the rest [S39].

import type { RecordedEffect } from './effects.ts';
import type { FoldedEntry } from './fold.ts';
import { textAt } from './json.ts';
import type { OpenInvocation, ProcessSnapshot } from './snapshot.ts';

/** More of a kind helps nobody to decide; how many there are is told all the same. */
const MAX_LISTED = 200;

interface RewindFact {
  readonly seq: number;
  readonly kind: 'effect' | 'message' | 'promise' | 'timer' | 'event' | 'decision';
  /** For a person. */
  readonly text: string;
  readonly eventId: string | null;
  /** Of an effect: how it ended; null while nobody knows. Of a decision: what it was. */
  readonly end: string | null;
}

export interface ListedFacts {
  /** The first of each kind, in the order of the journal; of effects, those that may have touched the world before others. */
  readonly facts: readonly RewindFact[];
  readonly factCount: Readonly<Record<RewindFact['kind'], number>>;
}

/** An effect as its code asked for it last. */
interface Asked {
  readonly name: string;
  /** For a person. */
  readonly text: string;
  /** Of the effect with these arguments: behind an earlier rewind they may have been others, and that was another deed. */
  readonly key: string;
  readonly eventId: string;
  /** Where it was announced; null where it never was with these arguments. */
  readonly seq: number | null;
}

/** Entries go in, in order. */
export class RewindFacts {
  readonly #target: number;
  /** By their ids. */
  readonly #asked = new Map<string, Asked>();
  /** What promises and timers are called, by their ids. */
  readonly #waits = new Map<string, string>();
  /** By their keys: each is one fact, however often it was tried. */
  readonly #effects = new Map<string, RewindFact>();
  readonly #others: RewindFact[] = [];
  readonly #count = { message: 0, promise: 0, timer: 0, event: 0, decision: 0 };

  constructor({ seq, open, deadLetters }: Readonly<ProcessSnapshot>) {
    this.#target = seq;
    const known = [...open, ...deadLetters.flatMap((letter) => letter.open ?? [])];
    for (const { event, effects, waits } of known) {
      for (const effect of effects) this.#asked.set(effect.effectId, askedFor(effect, event.eventId));
      for (const { waitId, name } of waits) this.#waits.set(waitId, name);
    }
  }

  feed({ seq, entry_type: type, data }: FoldedEntry): void {
    const effectId = textAt(data, 'effect_id');
    const asked = this.#asked.get(effectId);
    const eventId = textAt(data, 'event_id') || asked?.eventId || null;
    const tell = (
      kind: Exclude<RewindFact['kind'], 'effect'>,
      text: string,
      end: string | null = null,
    ): void => {
      this.#count[kind] += 1;
      if (this.#count[kind] <= MAX_LISTED) this.#others.push({ seq, kind, text, eventId, end });
    };
    switch (type) {
      case 'effect_started': {
        const effect = {
          name: textAt(data, 'name'),
          argsPreview: textAt(data, 'args_preview'),
          argsHash: textAt(data, 'args_hash'),
        };
        this.#asked.set(effectId, askedFor({ effectId, seq, ...effect }, eventId ?? ''));
        return;
      }
      case 'effect_unlike': {
        const effect = { argsPreview: textAt(data, 'args_preview'), argsHash: textAt(data, 'args_hash') };
        const name = asked?.name ?? effectId;
        this.#asked.set(effectId, askedFor({ effectId, seq: null, name, ...effect }, eventId ?? ''));
        return;
      }
      case 'effect_finished':
        if (data['unpermitted'] !== true) this.#ended(effectId, textAt(data, 'end'), eventId, seq);
        return;
      case 'effect_resolved': {
        const resolution = textAt(data, 'resolution');
        tell('decision', asked?.text ?? effectId, resolution);
        // What it gave is said to be nothing where it is skipped, and nobody knows more of it than before.
        if (resolution === 'skip' || (asked?.seq ?? 0) <= this.#target) return;
        this.#ended(effectId, resolution === 'happened' ? 'done' : resolution, eventId, seq);
        return;
      }
      case 'message_sent':
        tell('message', `${textAt(data, 'kind')} ${textAt(data, 'topic')}`);
        return;
      case 'promise_created':
        this.#waits.set(textAt(data, 'promise_id'), textAt(data, 'name'));
        return;
      case 'timer_started':
        this.#waits.set(textAt(data, 'timer_id'), textAt(data, 'name'));
        return;
      case 'promise_settled':
        tell('promise', this.#nameOf(textAt(data, 'promise_id')), textAt(data, 'status'));
        return;
      case 'timer_fired':
        tell('timer', this.#nameOf(textAt(data, 'timer_id')));
        return;
      case 'trigger_event':
        tell('event', textAt(data, 'trigger_id'));
        return;
      case 'dead_letter_dropped':
        tell('decision', 'a dead letter was dropped');
        return;
      default:
        return;
    }
  }

  /** With `open`, what is under way by now. */
  listed(open: readonly OpenInvocation[]): ListedFacts {
    const effects = new Map(this.#effects);
    for (const { event, effects: recorded } of open) {
      for (const effect of recorded) {
        if (effect.end !== null || effect.seq <= this.#target) continue;
        const { text, key, eventId } = askedFor(effect, event.eventId);
        effects.set(key, { seq: effect.seq, kind: 'effect', text, eventId, end: null });
      }
    }
    const isHarmless = ({ end }: RewindFact): number => (end === 'did_not_happen' ? 1 : 0);
    const first = [...effects.values()].sort((a, b) => isHarmless(a) - isHarmless(b) || a.seq - b.seq);
    return {
      facts: [...this.#others, ...first.slice(0, MAX_LISTED)].sort((a, b) => a.seq - b.seq),
      factCount: { ...this.#count, effect: effects.size },
    };
  }

  #nameOf(waitId: string): string {
    return this.#waits.get(waitId) || waitId;
  }

  #ended(effectId: string, end: string, eventId: string | null, seq: number): void {
    const { text, key } = this.#asked.get(effectId) ?? { text: effectId, key: effectId };
    // What is done is done, whatever is said of it later.
    if (this.#effects.get(key)?.end === 'done') return;
    this.#effects.set(key, { seq, kind: 'effect', text, eventId, end });
  }
}

function askedFor(
  {
    effectId,
    name,
    argsPreview,
    argsHash,
    seq,
  }: Pick<RecordedEffect, 'effectId' | 'name' | 'argsPreview' | 'argsHash'> & Pick<Asked, 'seq'>,
  eventId: string,
): Asked {
  return { name, text: `${name} ${argsPreview}`, key: `${effectId} ${argsHash}`, eventId, seq };
}
