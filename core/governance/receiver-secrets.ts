// What of whom a manifest tells is as good as a password: what webhooks are signed with, addresses with a path, and the
// variables that these are written with.

import { shownUrl, type EscalationTarget } from '../model/escalation.ts';
import type { ProcessConfig } from '../model/process-config.ts';

export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Of an address that is nothing but a host there is nothing to hide. */
export function isSecretUrl(url: string): boolean {
  return shownUrl(url).endsWith('/…');
}

/** The values that stand in nothing that is written because of the receivers of this manifest [J10]. */
export function receiverSecrets(
  { budget, health, mission, escalation, secrets }: ProcessConfig,
  environment: Readonly<Record<string, string | undefined>>,
): readonly KnownSecret[] {
  const targets = [escalation?.target, budget.escalation, health.escalation, mission?.escalation];
  const urls = targets.flatMap((target: EscalationTarget | null | undefined) => target?.webhookUrl ?? []);
  const sources = Object.values(secrets.sources);
  // What the process names as its secrets is known for as long as it has them.
  const isSource = (name: string): boolean =>
    sources.some((source) => source.kind === 'variable' && source.variable === name);
  const variables = secrets.withheld
    .filter((name) => !isSource(name))
    .map((name) => ({ name, value: environment[name] ?? '' }))
    .filter(({ value }) => value !== '' && urls.some((url) => url.includes(value)))
    // Its host is all that is shown of an address.
    .filter(({ value }) => !urls.some((url) => shownUrl(url).includes(value)));
  const signing = escalation?.secret ?? null;
  return [
    ...variables,
    ...urls.filter(isSecretUrl).map((value) => ({ name: 'webhook_url', value })),
    ...(signing === null ? [] : [{ name: 'escalation.secret', value: signing }]),
  ];
}
