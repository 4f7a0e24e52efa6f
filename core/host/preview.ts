// What an operator's action would find and do, before it is done. Pure.

import type { PreviewView } from '../contract/views.ts';
import { isInDoubt, needsOperator, type RecordedEffect } from '../model/effects.ts';
import { OPERATORS_HOLDS, type HoldKind } from '../model/holds.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { dueWaits } from '../model/waits.ts';
import { cut } from './cut.ts';

const MAX_DOUBTS = 100;
const MAX_TEXT = 1_000;

export interface PreviewInput {
  readonly action: 'resume' | 'restart' | 'force-recover';
  readonly snapshot: Readonly<ProcessSnapshot>;
  readonly worker: {
    readonly pid: number;
    readonly generation: number;
    readonly isAnswering: boolean;
  } | null;
  readonly nowMs: number;
}

export function previewOf({ action, snapshot, worker, nowMs }: PreviewInput): PreviewView {
  const { open, queue, holds, deadLetters } = snapshot;
  const effects = open.flatMap((invocation) => invocation.effects);
  const doubts = effects.filter(isInDoubt);
  const timersDue = open.flatMap(({ waits }) => dueWaits(waits, nowMs)).length;
  const stay = holds.filter(({ kind }) => !isLifted(kind));
  const readBack = effects.length - doubts.length;
  const isHeld = stay.length > 0;
  return {
    action,
    state: cut(snapshot.lifecycle, MAX_TEXT),
    lastSeq: snapshot.seq,
    lastEntryAt: snapshot.lastEntryAt,
    invocations: open.length,
    effectsReadBack: readBack,
    doubts: doubts.slice(0, MAX_DOUBTS).map((effect) => ({
      effectId: effect.effectId,
      name: cut(effect.name, MAX_TEXT),
      effectClass: effect.effectClass,
      key: cut(effect.key, MAX_TEXT),
      argsPreview: cut(effect.argsPreview, MAX_TEXT),
      next: nextOf(effect),
    })),
    timersDue,
    queued: queue.length,
    deadLetters: deadLetters.length,
    holdsThatStay: stay.map(({ kind, reason }) => cut(`${kind.replace('_', ' ')}: ${reason}`, MAX_TEXT)),
    worker,
    steps: [
      ...beginningOf(action, worker),
      ...(open.length > 0 && !isHeld ? [goesOn(open.length, readBack)] : []),
      ...doubts.slice(0, MAX_DOUBTS).map((effect) => `${cut(effect.name, MAX_TEXT)} is ${nextOf(effect)}.`),
      ...(timersDue > 0
        ? [
            `${count(timersDue, 'timer')} that came due meanwhile ${timersDue === 1 ? 'fires' : 'fire'} at once.`,
          ]
        : []),
      ...(queue.length > 0 && !isHeld
        ? [`${count(queue.length, 'event')} of the queue ${queue.length === 1 ? 'follows' : 'follow'}.`]
        : []),
      ...(isHeld
        ? [
            `It stays suspended: ${stay.map(({ kind }) => kind.replace('_', ' ')).join(', ')}; until that is lifted nothing else goes on.`,
          ]
        : []),
    ],
  };
}

function isLifted(kind: HoldKind): boolean {
  return (OPERATORS_HOLDS as readonly HoldKind[]).includes(kind);
}

function nextOf(effect: RecordedEffect): PreviewView['doubts'][number]['next'] {
  if (needsOperator(effect)) return 'asked of you';
  switch (effect.effectClass) {
    case 'retry':
      return 'performed again';
    case 'idempotent':
      return 'performed again with the same key';
    case 'reconcile':
      return 'asked of the provider';
    case 'ask':
      return 'asked of you';
  }
}

function beginningOf(action: PreviewInput['action'], worker: PreviewInput['worker']): string[] {
  const steps: string[] = [];
  if (action !== 'resume' && worker !== null) {
    steps.push(`Worker ${worker.generation} (pid ${worker.pid}) is ended with everything it started.`);
  }
  if (action === 'force-recover')
    steps.push('The state is rebuilt from the journal; nothing in memory counts.');
  return steps;
}

function goesOn(open: number, readBack: number): string {
  const [go, are] = [open === 1 ? 'goes' : 'go', readBack === 1 ? 'is' : 'are'];
  return `${count(open, 'unfinished invocation')} ${go} on from the top; ${count(readBack, 'effect')} ${are} read back, and not done again.`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
