// How an invocation ends, or begins again [S24]: exactly one entry ends it.

import { afterFailure } from '../model/delivery.ts';
import { isUnsettled, needsOperator } from '../model/effects.ts';
import { answersIn } from '../model/inbox-answers.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf } from '../model/snapshot.ts';
import { timestampOf } from '../model/time.ts';
import type { Recorder } from './recorder.ts';
import { MAX_RESPONSE } from './worker-words.ts';

/** Promptise's limit. */
const MAX_ERROR = 1_000;

export interface EndingOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly isTerminal: boolean;
  readonly durationMs: number;
}

/** An outcome is never left behind: a worker that ends an invocation before its effects have ended is not believed. */
export function refuseUnended(options: EndingOptions, eventId: string): void {
  const open = openOf(options.recorder().snapshot, eventId);
  const pending = open?.effects.find((effect) => effect.end === null && effect.seq > open.attemptSeq);
  if (pending !== undefined)
    throw new Error(`the invocation ended while ${pending.name} was still under way`);
  const doubt = open?.effects.find((effect) => isUnsettled(effect) || needsOperator(effect));
  if (doubt !== undefined) throw new Error(`the invocation ended while ${doubt.name} was in doubt`);
}

export function recordSuccess(
  options: EndingOptions,
  eventId: string,
  {
    response,
    isText,
    durationMs,
  }: { readonly response: string; readonly isText: boolean; readonly durationMs: number },
): void {
  const open = openOf(options.recorder().snapshot, eventId);
  // Before its end: a crash between the two has it end again, and the first answer counts.
  for (const { messageId, answer } of answersIn(response, open?.inbox ?? [])) {
    options.recorder().note('inbox_answered', { event_id: eventId, message_id: messageId, answer });
  }
  options.recorder().note('invocation_result', {
    invocation: open?.invocation ?? 0,
    event_id: eventId,
    trigger_type: open?.event.triggerType ?? '',
    attempt: open?.attempt ?? 1,
    duration_ms: durationMs,
    response: response.slice(0, MAX_RESPONSE),
    ...(isText && options.definition.config.health.isEnabled ? { reply_chars: response.trim().length } : {}),
  });
}

/** True where that was its end, false where it is tried again. */
export function recordFailure(options: EndingOptions, eventId: string, failure: Failure): boolean {
  const { definition, clock, recorder } = options;
  const { code, message, isTerminal, durationMs } = failure;
  const attempt = openOf(options.recorder().snapshot, eventId)?.attempt ?? 1;
  const after = afterFailure(definition.config.delivery, { attempt, isTerminal });
  const entry = {
    event_id: eventId,
    error_type: code,
    error: message.slice(0, MAX_ERROR),
    attempt,
    duration_ms: durationMs,
  };
  if (after.next === 'retry') {
    const retryAt = timestampOf(clock.now() + after.delayMs);
    recorder().note('error', { ...entry, final: false, retry_at: retryAt });
    return false;
  }
  const size = definition.config.delivery.deadLetterSize;
  const letter =
    after.next === 'dead-letter'
      ? { dead_letter: true, reason: 'retries exhausted', dead_letter_size: size }
      : { reason: isTerminal ? 'its code says that trying again would not help' : 'retries exhausted' };
  recorder().note('error', { ...entry, final: true, ...letter });
  return true;
}

/** Its code wants nothing to do with the event, which is no failure. */
export function recordRefusal(options: EndingOptions, eventId: string, why: string): void {
  const triggerId = openOf(options.recorder().snapshot, eventId)?.event.triggerId ?? '';
  options
    .recorder()
    .note('event_refused', { event_id: eventId, trigger_id: triggerId, why: why.slice(0, MAX_ERROR) });
}

/** A re-run that asks for something else than was recorded ends nothing: with the right code it can go on. */
export function recordDivergence(options: EndingOptions, eventId: string, failure: Failure): void {
  options.recorder().note('error', {
    event_id: eventId,
    error_type: failure.code,
    error: failure.message.slice(0, MAX_ERROR),
    attempt: openOf(options.recorder().snapshot, eventId)?.attempt ?? 1,
    duration_ms: failure.durationMs,
    final: false,
  });
}
