// What a sender hears, by what became of its request. Nothing of ours is told to strangers: no paths, no stacks, no
// sentences of a journal.

import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { TriggerAnswer } from './trigger-sink.ts';

export interface WebhookAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRY_AFTER_S = 30;

/** `isReplay`: the signature that came was to be used once. */
export function answerTo(answer: TriggerAnswer, isReplay: boolean): WebhookAnswer {
  switch (answer.kind) {
    case 'accepted':
      return { status: 202, body: { status: 'accepted', event_id: answer.eventId } };
    case 'filtered':
      return { status: 200, body: { status: 'ignored' } };
    case 'known':
      return isReplay
        ? refusal(409, 'This signature was used before, and counts once.')
        : {
            status: 202,
            body: {
              status: 'accepted',
              event_id: null,
              message: 'It was accepted before under the same key, and is not handled again.',
            },
          };
  }
}

/** Not to be sent again as it is. */
const UNKEPT: ReadonlyMap<string, readonly [status: number, message: string]> = new Map([
  ['trigger.payload-too-large', [413, 'The body is larger than what can be kept.']],
  ['json.not-recordable', [400, 'The body holds what can not be kept.']],
  ['trigger.signature-too-old', [401, 'The signature is too old. Sign it anew.']],
]);

/** [A12] Nothing was accepted, and mostly later it may be; null where it was no such refusal. */
export function answerToRefusal(error: unknown): WebhookAnswer | null {
  if (!(error instanceof AppError)) return null;
  const unkept = UNKEPT.get(error.code);
  if (unkept !== undefined) return refusal(...unkept);
  if (error.code === 'trigger.closed') return unavailable('trigger.closing');
  return /^(process|journal|host)\./.test(error.code) ? unavailable(error.code) : null;
}

/** `reason` is a word for a program: a code. */
export function unavailable(reason: string): WebhookAnswer {
  return {
    status: 503,
    body: { status: 'unavailable', reason, message: 'Nothing was accepted. Try again later.' },
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  };
}

export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): WebhookAnswer {
  return { status, body: { status: 'error', message }, headers };
}

export const BROKEN_HERE = refusal(500, 'Something went wrong here, and nothing is known to be accepted.');

const UNREADABLE: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to come.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The body is cut into pieces with too much said of them.'],
};

/** For what is not even a request, by the code that the parser gives. */
export function answerToUnreadable(code: string): WebhookAnswer {
  const [status, message] = UNREADABLE[code] ?? [400, 'This is no HTTP request.'];
  return refusal(status, message);
}
