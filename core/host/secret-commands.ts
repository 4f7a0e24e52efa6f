// What operators do about secrets, and what is shown of them. The value comes once, with the request, and goes to who keeps it.

import type { RequestOf } from '../contract/requests.ts';
import type { SecretView } from '../contract/secret-view.ts';
import type { SecretStanding } from '../governance/secret-keeper.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { cut, cutOrNull } from './cut.ts';
import { MAX_LINE, MAX_WORD } from './view-limits.ts';

/** Resolves with a sentence about what was done. */
export async function rotateSecret(
  process: AgentProcess,
  { name, value, ttlMs }: RequestOf<'secrets.rotate'>,
  actor: Actor,
): Promise<string> {
  await process.governance.rotateSecret({ name, value, ttlMs }, actor);
  const now = process.secrets.standings().find((one) => one.name === name);
  const until = now?.expiresAt == null ? '' : ` It expires at ${now.expiresAt}.`;
  const lasts =
    now?.source === 'keychain'
      ? ' The keychain has it.'
      : ` The next start has what ${now?.from ?? 'its source'} holds then: put it there too.`;
  return `${name} of ${process.name} has another value, from now on.${until}${lasts}`;
}

/** Resolves with a sentence about what was done. */
export async function revokeSecret(
  process: AgentProcess,
  { name }: RequestOf<'secrets.revoke'>,
  actor: Actor,
): Promise<string> {
  await process.governance.revokeSecret(name, actor);
  const which = name === null ? `All secrets of ${process.name} are` : `${name} of ${process.name} is`;
  return `${which} revoked: its code is refused from now on. What a worker was given before, it may still use until it ends.`;
}

export function secretViews(standings: readonly SecretStanding[]): SecretView[] {
  return standings.map(({ from, expiresAt, rotatedAt, lastReadAt, ...rest }) => ({
    ...rest,
    from: cut(from, MAX_LINE),
    expiresAt: cutOrNull(expiresAt, MAX_WORD),
    rotatedAt: cutOrNull(rotatedAt, MAX_WORD),
    lastReadAt: cutOrNull(lastReadAt, MAX_WORD),
  }));
}
