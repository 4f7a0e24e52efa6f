// What was entered of a trigger, as a manifest would say it. Pure. What only the host can judge is left to the host.

import type { Failure } from '../../../core/contract/define.ts';
import { fieldsOf, type AddedKind, type TriggerField, type Values } from './trigger-kinds.ts';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NUMBER = /^\d+(\.\d+)?$/;

/** Why what stands in a field can't be taken, or null. An empty one that is needed has not been entered yet. */
export function fieldProblem({ shape }: TriggerField, value: string): string | null {
  const text = value.trim();
  if (text === '') return null;
  if (shape.is === 'number' && !NUMBER.test(text)) return 'Not a number.';
  if (shape.is === 'variable' && !VARIABLE.test(text)) {
    return 'Not the name of a variable: letters, digits and _ alone. The secret itself has no place here.';
  }
  return null;
}

/** What is to be done before it can be added, or null. */
export function missingOf(kind: AddedKind, values: Values): string | null {
  for (const field of fieldsOf(kind, values)) {
    const value = values[field.key] ?? '';
    if (field.required && value.trim() === '') return `Enter first: ${field.label}.`;
    if (fieldProblem(field, value) !== null) return `Look again at: ${field.label}.`;
  }
  return null;
}

/** JSON for `triggers.add`; what is left empty is left out. */
export function configTextOf(kind: AddedKind, values: Values): string {
  const config: Record<string, unknown> = { type: kind };
  const own: Record<string, unknown> = {};
  for (const field of fieldsOf(kind, values)) {
    const value = (values[field.key] ?? '').trim();
    if (value === '') continue;
    const [first = '', second] = field.key.split('.');
    if (second === undefined) config[first] = valueOf(field, value);
    else own[second] = valueOf(field, value);
  }
  return JSON.stringify(Object.keys(own).length === 0 ? config : { ...config, holdfast: own });
}

function valueOf({ key, shape }: TriggerField, value: string): unknown {
  switch (shape.is) {
    case 'number':
      return Number(value);
    case 'list':
    case 'several':
      return linesOf(value);
    case 'variable':
      return `\${${value}}`;
    case 'choice':
      return key === 'holdfast.polling' ? value === 'true' : value;
    case 'text':
      return value;
  }
}

/** Its lines, but for empty ones. */
export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Which field a refusal is about, by its code. */
const FIELD_OF_CODE: Readonly<Record<string, readonly string[]>> = {
  'trigger.bad-cron': ['cron_expression'],
  'trigger.port-taken': ['webhook_port'],
  'trigger.bad-address': ['webhook_host'],
  'trigger.path-taken': ['webhook_path'],
  'trigger.bad-path': ['webhook_path', 'watch_path'],
  'trigger.not-a-directory': ['watch_path'],
  'trigger.bad-pattern': ['watch_patterns'],
  'trigger.bad-source': ['allowed_sources'],
  'trigger.secret': ['hmac_secret'],
  'trigger.bad-secret': ['hmac_secret'],
  'trigger.bad-filter': ['filter_expression'],
  'manifest.no-variable': ['hmac_secret'],
};

/** The field that the host found wrong; null where it is none, or not to be told. */
export function fieldRefused(kind: AddedKind, values: Values, { code, detail }: Failure): string | null {
  const problems = Array.isArray(detail?.['problems']) ? detail['problems'].map(String) : [];
  const named = FIELD_OF_CODE[code] ?? [];
  const found = fieldsOf(kind, values).find(
    ({ key }) => named.includes(key) || problems.some((problem) => problem.startsWith(key)),
  );
  return found?.key ?? null;
}
