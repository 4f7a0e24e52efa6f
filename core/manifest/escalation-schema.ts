// What a manifest says of who is told: Promptise's `webhook_url` and `event_type`, in a section for what becomes of that,
// and under `holdfast` for everything else.

import { z } from 'zod';
import type { EscalationConfig, EscalationTarget } from '../model/escalation.ts';
import { messageOf } from '../model/errors.ts';
import { topicProblem } from '../model/messages.ts';
import { receiverProblem } from './receiver-url.ts';
import { withVariables } from './variables.ts';

const MAX_URL = 2_048;
const MAX_SECRET = 4_096;
/** Promptise writes it where a secret stood. */
const PLACEHOLDER = /^\*{10}$/;

const NOBODY = 'names nobody to tell: give it a webhook_url, an event_type, or both';

/** With the variables of the host's environment in place. */
const Text = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .transform((text, context) => {
      try {
        return withVariables(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) });
        return z.NEVER;
      }
    });

/** Whether it may be private is said elsewhere; that is looked at once all of the manifest is read. */
const Url = Text(MAX_URL).superRefine((text, context) => {
  const problem = receiverProblem(text, true);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});
const EventType = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .superRefine((topic, context) => {
    const problem = topicProblem(topic);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

const TARGET = { webhook_url: Url.nullish(), event_type: EventType.nullish() };
interface WrittenTarget {
  readonly webhook_url?: string | null | undefined;
  readonly event_type?: string | null | undefined;
}

function targetOf({ webhook_url: url, event_type: type }: WrittenTarget): EscalationTarget {
  return { webhookUrl: url ?? null, eventType: type ?? null };
}

function namesSomebody({ webhook_url: url, event_type: type }: WrittenTarget): boolean {
  return (url ?? null) !== null || (type ?? null) !== null;
}

/** `escalation:` of a section: a web address, the type of an event, or both. */
export const escalationSchema = z.strictObject(TARGET).refine(namesSomebody, NOBODY).transform(targetOf);

/** `holdfast.escalation`: who is told where a section names nobody, and how every webhook of the manifest is told. */
export const processEscalationSchema = z
  .strictObject({
    ...TARGET,
    secret: Text(MAX_SECRET)
      .refine((secret) => !PLACEHOLDER.test(secret), 'this is what stands where a secret was taken out')
      .nullish(),
    allow_private: z.boolean().nullish(),
  })
  .refine(namesSomebody, NOBODY)
  .superRefine(({ webhook_url: url, secret, allow_private: allowed }, context) => {
    if ((url ?? null) !== null) return;
    const without = (key: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [key], message });
    };
    if ((secret ?? null) !== null) without('secret', 'nothing is signed without a webhook_url');
    if (allowed === true) without('allow_private', 'there is no webhook_url for which it could be allowed');
  })
  .transform(({ secret, allow_private: allowPrivate, ...target }): EscalationConfig => ({
    target: targetOf(target),
    secret: secret ?? null,
    allowPrivate: allowPrivate ?? false,
  }));

interface WithEscalations {
  readonly holdfast: { readonly escalation?: EscalationConfig | null | undefined };
}

/** Sections of a manifest that may name somebody. */
const SECTIONS = ['budget', 'health', 'mission'] as const;

/** As they are written: texts of a manifest's document that may name variables with secrets in them. */
export function receiverTexts(document: unknown): readonly string[] {
  const at = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)[key]
      : undefined;
  const general = at(at(document, 'holdfast'), 'escalation');
  const sections = SECTIONS.map((section) => at(at(document, section), 'escalation'));
  const texts = [at(general, 'secret'), ...[general, ...sections].map((one) => at(one, 'webhook_url'))];
  return texts.filter((text) => typeof text === 'string');
}

/** No webhook leads to where the manifest does not allow it to. */
export function checkReceivers(manifest: WithEscalations, context: z.RefinementCtx): void {
  const general = manifest.holdfast.escalation ?? null;
  const check = (path: readonly string[], target: EscalationTarget | null | undefined): void => {
    const url = target?.webhookUrl ?? null;
    const problem = url === null ? null : receiverProblem(url, general?.allowPrivate ?? false);
    if (problem === null) return;
    context.addIssue({
      code: 'custom',
      path: [...path, 'webhook_url'],
      message: `${problem}, with holdfast.escalation.allow_private`,
    });
  };
  check(['holdfast', 'escalation'], general?.target);
  for (const section of SECTIONS) {
    const { escalation } = ((manifest as unknown as Record<string, unknown>)[section] ?? {}) as {
      readonly escalation?: EscalationTarget | null;
    };
    check([section, 'escalation'], escalation);
  }
}
