import { expect, test } from 'vitest';
import {
  configTextOf,
  fieldProblem,
  fieldRefused,
  missingOf,
} from '../../renderer/features/trigger/trigger-config-text.ts';
import {
  ADDED_KINDS,
  fieldsOf,
  initialOf,
  type AddedKind,
  type Values,
} from '../../renderer/features/trigger/trigger-kinds.ts';
import { triggerFromManifest } from '../../core/manifest/trigger-schema.ts';
import type { JsonObject } from '../../core/model/json.ts';

/** What a person can't do without entering. */
const LEAST: Readonly<Record<AddedKind, Values>> = {
  cron: {},
  webhook: {},
  file_watch: { watch_path: '/srv/in' },
  event: { event_type: 'order.*' },
  message: { topic: 'invoices' },
};

const configOf = (kind: AddedKind, over: Values): JsonObject =>
  JSON.parse(configTextOf(kind, { ...initialOf(kind), ...over })) as JsonObject;

test.each(ADDED_KINDS)('%s: with what it begins with, and what is needed, the host takes it', (kind) => {
  const values = { ...initialOf(kind), ...LEAST[kind] };
  expect(missingOf(kind, values)).toBeNull();
  expect(triggerFromManifest(configOf(kind, LEAST[kind])).type).toBe(kind);
});

const FULL: Readonly<Record<AddedKind, { readonly over: Values; readonly becomes: object }>> = {
  cron: { over: { 'holdfast.missed': 'once' }, becomes: { missed: 'once', cronTimezone: 'UTC' } },
  webhook: {
    over: { allowed_sources: '10.0.0.0/8\n\n 203.0.113.7 ' },
    becomes: { allowedSources: ['10.0.0.0/8', '203.0.113.7'], port: 9090, maxBodyBytes: 1_048_576 },
  },
  file_watch: {
    over: { 'holdfast.polling': 'true', watch_events: 'created\ndeleted' },
    becomes: { polling: true, events: ['created', 'deleted'], patterns: ['*'], debounceMs: 500 },
  },
  event: { over: { event_source: 'order-sync' }, becomes: { eventSource: 'order-sync' } },
  message: { over: {}, becomes: { topic: 'invoices' } },
};

test.each(ADDED_KINDS)('%s: every field is a key of the manifest, and no other', (kind) => {
  const { over, becomes } = FULL[kind];
  const filter = 'payload.amount > 1';
  const config = configOf(kind, { ...LEAST[kind], ...over, filter_expression: filter });
  expect(triggerFromManifest(config)).toMatchObject({ type: kind, filter, ...becomes });
});

test('a secret goes out as the name of a variable alone, and what is no name is stopped at the field', () => {
  expect(configOf('webhook', { hmac_secret: 'ORDERS_SECRET' })['hmac_secret']).toBe('${ORDERS_SECRET}');
  const secret = fieldsOf('webhook', {}).find(({ key }) => key === 'hmac_secret')!;
  expect(fieldProblem(secret, 'ORDERS_SECRET')).toBeNull();
  for (const wrong of ['whsec_5f/2c=', '${ORDERS}', 'a b', '7up']) {
    expect(fieldProblem(secret, wrong)).toMatch(/Not the name of a variable/);
  }
  const values = { ...initialOf('webhook'), hmac_secret: 'p@ss' };
  expect(missingOf('webhook', values)).toBe('Look again at: Variable that holds the secret.');
});

test('only fields that make sense are asked for', () => {
  const keys = (values: Values) =>
    fieldsOf('webhook', { ...initialOf('webhook'), ...values }).map(({ key }) => key);
  expect(keys({})).not.toContain('signature_scheme');
  expect(keys({ hmac_secret: 'S' })).toContain('signature_scheme');
  expect(keys({ hmac_secret: 'S' })).not.toContain('signature_tolerance');
  expect(keys({ hmac_secret: 'S', signature_scheme: 'stripe' })).toContain('signature_tolerance');
  // What is not asked is not said, whatever was entered before.
  expect(configOf('webhook', { signature_header: 'x-old' })).not.toHaveProperty('signature_header');
});

test('what is missing is named, one thing at a time', () => {
  expect(missingOf('event', initialOf('event'))).toBe('Enter first: Event.');
  expect(missingOf('file_watch', { ...initialOf('file_watch'), watch_path: '/in', watch_events: '' })).toBe(
    'Enter first: Changes that count.',
  );
  expect(missingOf('webhook', { ...initialOf('webhook'), webhook_port: 'ninety' })).toBe(
    'Look again at: Port.',
  );
});

test('a refusal is shown at its field, where it has one', () => {
  const at = (kind: AddedKind, code: string, problems?: string[]) =>
    fieldRefused(kind, initialOf(kind), {
      code,
      message: '',
      ...(problems === undefined ? {} : { detail: { problems } }),
    });
  expect(at('webhook', 'trigger.port-taken')).toBe('webhook_port');
  expect(at('webhook', 'trigger.bad-path')).toBe('webhook_path');
  expect(at('file_watch', 'trigger.bad-path')).toBe('watch_path');
  expect(at('cron', 'trigger.bad-cron')).toBe('cron_expression');
  expect(at('webhook', 'trigger.invalid', ['webhook_port: Too small'])).toBe('webhook_port');
  expect(at('file_watch', 'trigger.invalid', ['watch_patterns.0: Too long'])).toBe('watch_patterns');
  expect(at('cron', 'trigger.exists')).toBeNull();
  expect(at('cron', 'trigger.invalid')).toBeNull();
});
