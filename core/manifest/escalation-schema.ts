import { z } from 'zod';
import type { EscalationTarget } from '../model/escalation.ts';

/** `escalation:` of a section: a web address, the type of an event, or both. */
export const escalationSchema = z
  .strictObject({
    webhook_url: z.url({ protocol: /^https?$/ }).nullish(),
    event_type: z.string().trim().min(1).max(200).nullish(),
  })
  .refine(
    ({ webhook_url: url, event_type: type }) => (url ?? null) !== null || (type ?? null) !== null,
    'names nobody to tell: give it a webhook_url, an event_type, or both',
  )
  .transform(
    ({ webhook_url: url, event_type: type }): EscalationTarget => ({
      webhookUrl: url ?? null,
      eventType: type ?? null,
    }),
  );
