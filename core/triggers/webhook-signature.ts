// [A15] Whether a request was signed by who knows the secret. Over the raw bytes, compared in constant time, and
// whatever stands in the header: a bad signature is an answer, never an exception.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureScheme } from '../model/trigger-config.ts';

/** Where each scheme's signature is, unless the trigger says otherwise. */
export const SIGNATURE_HEADERS: Readonly<Record<SignatureScheme, string>> = {
  generic: 'x-webhook-signature',
  github: 'x-hub-signature-256',
  stripe: 'stripe-signature',
};

export interface SignatureRules {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  /** How far the time in a signature may lie in the past or in the future. */
  readonly toleranceMs: number;
}

export interface UsableOnce {
  /** What the same signature always gives. */
  readonly key: string;
  /** It was made then, so it was not used before; in epoch milliseconds. */
  readonly sinceMs: number;
}

export type SignatureVerdict =
  /** `once`: where it may be used only once; else null. */
  | { readonly isGood: true; readonly once: UsableOnce | null }
  /** `why` is for the log of who owns the trigger, not for who sent the request. */
  | { readonly isGood: false; readonly why: string };

const PREFIX = 'sha256=';
const DIGEST = /^[0-9a-f]{64}$/i;
/** How far the clocks of who signs run ahead of ours. */
const CLOCKS_APART_MS = 5_000;
const SECONDS = /^\d{1,12}$/;

/** `header` is null where there is none. */
export function checkSignature(
  { scheme, secret, toleranceMs }: SignatureRules,
  header: string | null,
  body: Uint8Array,
  nowMs: number,
): SignatureVerdict {
  if (header === null || header === '') return bad('there is no signature');
  switch (scheme) {
    case 'generic':
    case 'github': {
      const given = header.startsWith(PREFIX) ? digestOf(header.slice(PREFIX.length)) : null;
      if (given === null) return bad('the signature is not "sha256=" and 64 hexadecimal digits');
      const isSame = timingSafeEqual(given, createHmac('sha256', secret).update(body).digest());
      return isSame ? { isGood: true, once: null } : bad('the signature belongs to another body or secret');
    }
    case 'stripe':
      return checkTimed(secret, toleranceMs, header, body, nowMs);
  }
}

/** `t=<seconds>,v1=<digest>`, several digests while a secret is being changed, over `<seconds>.<body>`. */
function checkTimed(
  secret: string,
  toleranceMs: number,
  header: string,
  body: Uint8Array,
  nowMs: number,
): SignatureVerdict {
  const parts = header.split(',').map((part) => part.trim());
  const times = valuesOf(parts, 't=');
  const given = valuesOf(parts, 'v1=').map(digestOf);
  const [time] = times;
  if (time === undefined || times.length > 1 || !SECONDS.test(time) || given.length === 0) {
    return bad('the signature is not one "t=" and at least one "v1="');
  }
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  // All of them, so that how long it takes says nothing about which one it was.
  const matches = given.filter((digest) => digest !== null && timingSafeEqual(digest, expected));
  if (matches.length === 0) return bad('the signature belongs to another body, time or secret');
  const signedMs = Number(time) * 1_000;
  const awayMs = nowMs - signedMs;
  if (Math.abs(awayMs) > toleranceMs) {
    const seconds = Math.round(Math.abs(awayMs) / 1_000);
    return bad(`the signature's time lies ${seconds} s in the ${awayMs > 0 ? 'past' : 'future'}`);
  }
  // Made from what was computed: the header has many spellings for the same signature.
  const key = createHash('sha256').update(`${time}.`).update(expected).digest('hex');
  return { isGood: true, once: { key, sinceMs: signedMs - CLOCKS_APART_MS } };
}

function valuesOf(parts: readonly string[], prefix: string): readonly string[] {
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
}

function digestOf(text: string): Buffer | null {
  return DIGEST.test(text) ? Buffer.from(text, 'hex') : null;
}

function bad(why: string): SignatureVerdict {
  return { isGood: false, why };
}
