// What the journal tells of secrets: when each was resolved, rotated, revoked and read. No value is in any of it [J10].

import { define, isObject, numberAt, textAt, type JsonObject } from './json.ts';
import { SECRET_NAME, secretOf, type SecretState } from './secrets.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { isMoment, timestampOf } from './time.ts';

/** `names`: all there are; `resolved`: those that were resolved now, each with the end of its time. */
export function secretsResolved(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const { names, resolved } = data;
  if (!Array.isArray(names) || !isObject(resolved)) return;
  const secrets: Record<string, SecretState> = {};
  for (const name of names as readonly unknown[]) {
    if (typeof name !== 'string' || !SECRET_NAME.test(name)) continue;
    const before = secretOf(state, name);
    if (Object.hasOwn(resolved, name)) {
      define(secrets, name, {
        resolvedAt: timestamp,
        expiresAt: textAt(resolved, name) || null,
        rotatedAt: null,
        revoked: null,
        lastReadAt: before?.lastReadAt ?? null,
      });
    } else if (before !== undefined) define(secrets, name, before);
  }
  state.secrets = secrets;
}

export function secretRead(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  if (!Object.hasOwn(data, 'refused')) change(state, textAt(data, 'name'), () => ({ lastReadAt: timestamp }));
}

export function secretRotated(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const expiresAt = textAt(data, 'expires_at') || null;
  change(state, textAt(data, 'name'), () => ({ rotatedAt: timestamp, expiresAt, revoked: null }));
}

/** `*` for all. What a person revoked stays theirs when the host lets go of the rest. */
export function secretRevoked(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const name = textAt(data, 'name');
  const actor = textAt(data, 'actor');
  for (const one of name === '*' ? Object.keys(state.secrets) : [name]) {
    change(state, one, ({ revoked }) =>
      revoked !== null && actor === 'host' ? {} : { revoked: { at: timestamp, actor } },
    );
  }
}

/** On a clock that is set back nothing may be read for longer; time that passes while the machine sleeps has passed. */
export function secretsClockChanged(state: ProcessSnapshot, data: JsonObject): void {
  const byMs = Math.min(0, numberAt(data, 'by_ms'));
  if (byMs === 0) return;
  for (const [name, { expiresAt }] of Object.entries(state.secrets)) {
    const ms = expiresAt === null ? Number.NaN : Date.parse(expiresAt) + byMs;
    if (isMoment(ms)) change(state, name, () => ({ expiresAt: timestampOf(ms) }));
  }
}

function change(
  state: ProcessSnapshot,
  name: string,
  to: (before: SecretState) => Partial<SecretState>,
): void {
  const before = secretOf(state, name);
  if (before === undefined) return;
  const secrets = { ...state.secrets };
  define(secrets, name, { ...before, ...to(before) });
  state.secrets = secrets;
}
