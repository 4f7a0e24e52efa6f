import type { SelfChangeView, SelfView } from '../contract/self-view.ts';
import {
  describeChange,
  MAX_CHANGES,
  standing,
  undoneWith,
  type SelfChange,
  type SelfState,
} from '../model/self-change.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { cut } from './cut.ts';
import { countOf, MAX_ID, MAX_NAME, MAX_SENTENCE, MAX_WORD } from './view-limits.ts';

const MAX_OVER = 20;
const MAX_SPAWNED = 100;

export function selfView({ self, parent }: Pick<ProcessSnapshot, 'self' | 'parent'>): SelfView {
  const over = self.changes.filter(({ end }) => end !== null).slice(-MAX_OVER);
  const inForce = standing(self);
  // A journal of somebody else may have more of them than there can be here.
  const shown = [...inForce.slice(-MAX_CHANGES), ...over].toSorted((a, b) => b.seq - a.seq);
  return {
    changes: shown.map((change) => changeView(self, change)),
    inForce: inForce.length,
    spawned: self.spawned.slice(0, MAX_SPAWNED).map(({ name }) => cut(name, MAX_NAME)),
    spawnedCount: self.spawned.length,
    parent: parent === null ? null : { process: cut(parent.process, MAX_NAME), depth: countOf(parent.depth) },
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
    takesBack:
      end === null
        ? undoneWith(self, change)
            .slice(-MAX_CHANGES)
            .map((one) => one.seq)
        : [],
  };
}
