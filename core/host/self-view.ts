import type { SelfChangeView, SelfView } from '../contract/self-view.ts';
import {
  describeChange,
  standing,
  undoneWith,
  type SelfChange,
  type SelfState,
} from '../model/self-change.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { cut } from './cut.ts';
import { MAX_ID, MAX_NAME, MAX_SENTENCE, MAX_WORD } from './view-limits.ts';

const MAX_OVER = 20;

export function selfView({ self, parent }: Pick<ProcessSnapshot, 'self' | 'parent'>): SelfView {
  const over = self.changes.filter(({ end }) => end !== null).slice(-MAX_OVER);
  const shown = [...standing(self), ...over].toSorted((a, b) => b.seq - a.seq);
  return {
    changes: shown.map((change) => changeView(self, change)),
    inForce: standing(self).length,
    spawned: self.spawned.map(({ name }) => cut(name, MAX_NAME)),
    parent:
      parent === null ? null : { process: cut(parent.process, MAX_NAME), depth: Math.trunc(parent.depth) },
  };
}

function changeView(self: SelfState, change: SelfChange): SelfChangeView {
  const { seq, kind, reason, at, eventId, end } = change;
  return {
    seq,
    kind,
    text: cut(describeChange(change), MAX_SENTENCE),
    reason: cut(reason, MAX_SENTENCE),
    at: cut(at, MAX_WORD),
    eventId: cut(eventId, MAX_ID),
    end:
      end === null
        ? null
        : {
            how: end.how,
            actor: cut(end.actor, MAX_WORD),
            reason: cut(end.reason, MAX_SENTENCE),
            at: cut(end.at, MAX_WORD),
          },
    takesBack: end === null ? undoneWith(self, change).map((one) => one.seq) : [],
  };
}
