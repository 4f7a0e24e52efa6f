// A person knows an effect by its name, and not by an id that begins with its event's.

import { expect, test } from 'vitest';
import { entrySummary } from '../../core/host/entry-summary.ts';
import type { JsonObject } from '../../core/model/json.ts';

const effect_id = '0198f3ae-77aa-7000-8000-000000000001/charge_card#0';

test.each<[string, JsonObject, string]>([
  [
    'effect_resolved',
    { operator: 'ann', resolution: 'did_not_happen', reason: 'not found there' },
    'charge_card#0 decided by ann: did not happen · not found there',
  ],
  [
    'effect_unlike',
    { args_preview: '{"amount":2}' },
    'charge_card#0 is asked for with other arguments · {"amount":2}',
  ],
  ['effect_expired', {}, 'the key of charge_card#0 is too old to repeat it'],
  ['effect_value_lost', {}, 'what charge_card#0 gave is lost'],
  ['effect_finished', { end: 'in_doubt', error: 'timeout' }, 'charge_card#0 in doubt · timeout'],
])('%s tells the name of its effect', (entry_type, data, summary) => {
  expect(entrySummary({ entry_type, data: { ...data, effect_id } }).summary).toBe(summary);
});
