// What an operator's action would find and do, before it is done. Pure.

import type { PreviewView } from '../contract/preview-view.ts';
import { isInDoubt, needsOperator, type RecordedEffect } from '../model/effects.ts';
import { OPERATORS_HOLDS, type HoldKind } from '../model/holds.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { dueWaits } from '../model/waits.ts';
import { counted } from './counted.ts';
import { cut } from './cut.ts';
import { shownOf } from './view-limits.ts';

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
  const shown = shownOf(doubts, MAX_DOUBTS, [...doubts.filter(needsOperator), ...doubts]);
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
    doubtCount: doubts.length,
    doubts: shown.map((effect) => ({
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
      ...shown.map((effect) => `${cut(effect.name, MAX_TEXT)} is ${nextOf(effect)}.`),
      ...(shown.length < doubts.length
        ? [`${counted(doubts.length - shown.length, 'more effect')} in doubt, each as its class says.`]
        : []),
      ...(timersDue > 0
        ? [
            `${counted(timersDue, 'timer')} that came due meanwhile ${timersDue === 1 ? 'fires' : 'fire'} at once.`,
          ]
        : []),
      ...(queue.length > 0 && !isHeld
        ? [`${counted(queue.length, 'event')} of the queue ${queue.length === 1 ? 'follows' : 'follow'}.`]
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
  return `${counted(open, 'unfinished invocation')} ${go} on from the top; ${counted(readBack, 'effect')} ${are} read back, and not done again.`;
}
