// What a request says, as the call that a process is woken with. Pure: the bytes are here already.

import { createHash } from 'node:crypto';
import { messageOf } from '../model/errors.ts';
import { define, MAX_RECORDED_DEPTH, RawNumber, type Json, type JsonObject } from '../model/json.ts';
import type { SignatureScheme } from '../model/trigger-config.ts';
import type { TriggerCall } from './trigger-sink.ts';
import type { UsableOnce } from './webhook-signature.ts';

export interface WebhookRequest {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly target: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** An address; null where it is not known. */
  readonly remote: string | null;
}

export type Payload =
  | { readonly isGood: true; readonly payload: Json }
  | { readonly isGood: false; readonly status: 400 | 415; readonly why: string };

/** In names of headers and of what stands in a query. `author` and `authority` are none. */
const CREDENTIAL =
  /secret|token|passw|pwd|api[-_]?key|access[-_]?key|auth(?!or(?!iz))|credential|private[-_]?key|signature|cookie|session|jwt|bearer/i;

/** All values of a header, joined as HTTP joins them; null where there is none. */
export function headerOf({ rawHeaders }: Pick<WebhookRequest, 'rawHeaders'>, name: string): string | null {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  return values.length === 0 ? null : values.join(', ');
}

/** The path of a request's target, decoded where that can be done. */
export function pathOf(target: string): string {
  return decoded(splitTarget(target).path);
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  // A proxy may be sent the whole address.
  const [, local = '/'] = /^https?:\/\/[^/?#]*(.*)$/i.exec(target) ?? [undefined, target];
  const at = local.indexOf('?');
  return at === -1 ? { path: local, query: '' } : { path: local.slice(0, at), query: local.slice(at + 1) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // as it was sent: nothing is listened to there
  }
}

/** How it came, without anything that could open a door [A15]. */
export function metadataOf(
  request: WebhookRequest,
  signatureHeader: string,
  isVerified: boolean,
): JsonObject {
  const { path, query } = splitTarget(request.target);
  return {
    method: request.method,
    path: decoded(path),
    query: firstOfEach(new URLSearchParams(query)),
    headers: shownHeaders(request.rawHeaders, signatureHeader),
    remote: request.remote,
    signature_verified: isVerified,
  };
}

/** The first value of each name, as Promptise gives it. */
function firstOfEach(query: URLSearchParams): JsonObject {
  const values: Record<string, Json> = {};
  for (const [name, value] of query) {
    if (!Object.hasOwn(values, name) && !CREDENTIAL.test(name)) define(values, name, value);
  }
  return values;
}

/** Names as they were sent, for filters that name them. */
function shownHeaders(raw: readonly string[], signatureHeader: string): JsonObject {
  const values = new Map<string, { readonly name: string; readonly value: string }>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!;
    const lower = name.toLowerCase();
    if (lower === signatureHeader || CREDENTIAL.test(name)) continue;
    const known = values.get(lower);
    const value = known === undefined ? raw[at + 1]! : `${known.value}, ${raw[at + 1]!}`;
    values.set(lower, { name: known?.name ?? name, value });
  }
  const shown: Record<string, Json> = {};
  for (const { name, value } of values.values()) define(shown, name, value);
  return shown;
}

/**
 * What stays the same when a sender tells of the same thing twice: a signature that counts once, the number of GitHub's
 * delivery, or what the sender calls its key.
 */
export function keyOf(
  request: WebhookRequest,
  scheme: SignatureScheme,
  once: UsableOnce | null,
): Pick<TriggerCall, 'key' | 'sinceMs'> {
  if (once !== null) return { key: `signature:${once.key}`, sinceMs: once.sinceMs };
  const delivery = scheme === 'github' ? headerOf(request, 'x-github-delivery') : null;
  if (delivery !== null && delivery !== '') return { key: `delivery:${hashed(delivery)}` };
  const key = headerOf(request, 'idempotency-key');
  return key === null || key === '' ? {} : { key: `key:${hashed(key)}` };
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** JSON where it says so or is so, else text. */
export function payloadOf(request: WebhookRequest, body: Uint8Array): Payload {
  const encoding = headerOf(request, 'content-encoding');
  if (encoding !== null && !/^(identity)?$/i.test(encoding.trim())) {
    return bad(415, `The body is encoded as ${shown(encoding)}. Send it as it is.`);
  }
  const type = headerOf(request, 'content-type') ?? '';
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  const isJson = /^\s*[\w.+-]+\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type);
  let text: string;
  try {
    text = new TextDecoder(charset, { fatal: isJson }).decode(body);
  } catch (error) {
    return error instanceof RangeError
      ? bad(415, `The body's character set ${shown(charset)} is not known. Send UTF-8.`)
      : bad(400, `The body is said to be JSON, and is not ${shown(charset)}.`);
  }
  let payload: Json;
  try {
    payload = parseExactly(text);
  } catch (error) {
    if (!isJson) return { isGood: true, payload: text };
    return bad(400, `The body is said to be JSON, and is none: ${messageOf(error)}.`);
  }
  return isTooDeep(payload)
    ? bad(400, `The body is nested more than ${MAX_RECORDED_DEPTH} levels deep.`)
    : { isGood: true, payload };
}

function bad(status: 400 | 415, why: string): Payload {
  return { isGood: false, status, why };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

/** Where a double might not hold a number, it is kept as it was written: ids of twenty digits are common. */
function parseExactly(text: string): Json {
  const payload = JSON.parse(text) as Json;
  if (!/\d{16}|\d\.\d{15}|\d[eE][+-]?\d{3}/.test(text) || isTooDeep(payload)) return payload;
  return JSON.parse(text, (_key, value: Json, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && !isExact(value, context.source)
      ? new RawNumber(context.source)
      : value,
  ) as Json;
}

/** Fractions are doubles on both sides, unless they leave what a double can hold. */
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Object.is(value, -0) || BigInt(source) === BigInt(value);
  return value !== 0 || !/[1-9]/.test(source.replace(/[eE].*$/, ''));
}

/** With a stack of its own: what is nested a million times deep must not end the host. */
function isTooDeep(payload: Json): boolean {
  let level: readonly Json[] = [payload];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_RECORDED_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value !== 'object' || value === null || value instanceof RawNumber
        ? []
        : Object.values<Json>(value),
    );
  }
  return false;
}
