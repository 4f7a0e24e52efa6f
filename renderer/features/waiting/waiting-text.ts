import type { WaitingItem, WaitingKind } from '../../../core/contract/waiting-view.ts';

export const KIND_WORDS: Readonly<Record<WaitingKind, string>> = {
  approval: 'Approval',
  question: 'Question',
  doubt: 'In doubt',
  budget: 'Budget',
  promise: 'Promise',
};

/** What leads up to the name of its process. */
export const OF_WORDS: Readonly<Record<WaitingKind, string>> = {
  approval: 'Asked for by',
  question: 'Asked by',
  doubt: 'An effect in doubt of',
  budget: 'A limit of',
  promise: 'A promise of',
};

/** What becomes of a call that is cut off in the middle, by the class of its tool. */
const CLASS_TEXTS: Readonly<Record<string, string>> = {
  retry: 'It is harmless to repeat: cut off by a crash, it is made again.',
  idempotent: 'It counts once: cut off by a crash, it is made again with the same key.',
  reconcile: 'Cut off by a crash, whoever it goes to is asked whether it happened.',
  ask: 'It may not be possible to take it back. Cut off by a crash, nobody knows whether it happened, and you are asked again.',
};

export function classText(effectClass: string): string {
  return Object.hasOwn(CLASS_TEXTS, effectClass) ? CLASS_TEXTS[effectClass]! : '';
}

const THEN: Readonly<Record<WaitingItem['onExpiry'], string>> = {
  approve: 'then it is approved',
  reject: 'then it is rejected',
  fail: 'then it goes on without',
};

export function thenText({ onExpiry }: WaitingItem): string {
  return THEN[onExpiry];
}
