// What a person may see of a model's call while it goes on: the end of its text, and why nothing comes. It is shown some
// times a second at most, and recorded nowhere.

import type { Saying } from '../../model/worker-protocol.ts';
import type { Glimpse } from '../models/collect-stream.ts';
import type { RunDetails } from '../run-invocation.ts';

const EVERY_MS = 100;
const MAX_SHOWN = 2_000;
/** Of what is kept to show the end of. */
const MAX_KEPT = 4 * MAX_SHOWN;

export interface Glimpses {
  /** From now on it is this model. */
  readonly of: (model: string) => void;
  readonly see: (glimpse: Glimpse) => void;
  /** Why nothing comes, and for how long; null where nobody knows. */
  readonly wait: (text: string, ms: number | null) => void;
  /** The call is over. */
  readonly end: () => void;
}

export function glimpsesOf(show: RunDetails['show']): Glimpses {
  let model = '';
  let text = '';
  let wait: Saying['wait'] = null;
  let timer: NodeJS.Timeout | null = null;
  let isShown = false;

  const tell = (): void => {
    timer = null;
    isShown = true;
    show({ model, text: wholeWords(text).slice(-MAX_SHOWN).toWellFormed(), wait });
  };
  const soon = (): void => {
    timer ??= setTimeout(tell, EVERY_MS).unref();
  };

  return {
    of: (next) => {
      model = next;
      text = '';
      // That it is asked is to be seen before it says anything.
      soon();
    },
    see: (glimpse) => {
      switch (glimpse.kind) {
        case 'text':
          wait = null;
          text = (text + glimpse.text).slice(-MAX_KEPT);
          break;
        case 'tool':
          wait = null;
          text += `${text === '' ? '' : '\n'}calls ${glimpse.name.slice(0, MAX_SHOWN)} `;
          text = text.slice(-MAX_KEPT);
          break;
        case 'again':
          text = '';
          break;
        case 'reasoning':
          return;
      }
      soon();
    },
    wait: (why, ms) => {
      wait = { text: why.slice(0, MAX_SHOWN), untilMs: ms === null ? null : Date.now() + ms };
      soon();
    },
    end: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (isShown) show(null);
    },
  };
}

/** Half of a word may be half of a secret, which nobody would know for one. */
function wholeWords(text: string): string {
  let end = text.length;
  while (end > 0 && !/\s/.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}
