// `holdfast.approval_webhook` in a manifest: where signed decisions about approvals and questions may be sent to.

import { z } from 'zod';
import type { ApprovalWebhook } from '../model/approval-webhook.ts';
import type { Environment } from './expand-variables.ts';
import { withVariables } from './variables.ts';

const PORTS = 'take a port from 1025 to 65535; those below belong to the system';
/** Promptise writes it where a secret stood. */
const PLACEHOLDER = /^\*{10}$/;

export const approvalWebhookSchema = z.strictObject({
  port: z.number().int().min(1_025, PORTS).max(65_535, PORTS),
  host: z.string().min(1).max(255).default('127.0.0.1'),
  hmac_secret: z
    .string()
    .min(1)
    .max(10_000)
    .refine((secret) => !PLACEHOLDER.test(secret), 'this is what stands where a secret was taken out'),
  signature_tolerance: z.number().positive().max(86_400).default(300),
  allowed_sources: z.array(z.string().min(1).max(100)).max(1_000).default([]),
});

type Written = z.output<typeof approvalWebhookSchema> | null | undefined;

/** Null where decisions come from the console and the command line alone. @throws `manifest.no-variable` */
export function approvalWebhookOf(webhook: Written, environment: Environment): ApprovalWebhook | null {
  if (webhook == null) return null;
  return {
    host: webhook.host,
    port: webhook.port,
    secret: withVariables(webhook.hmac_secret, environment),
    toleranceMs: webhook.signature_tolerance * 1000,
    allowedSources: webhook.allowed_sources,
  };
}

/** As it is written: it may name variables with the secret in them. */
export function approvalTexts(webhook: Written): readonly string[] {
  const secret = webhook?.hmac_secret;
  return secret === undefined ? [] : [secret];
}
