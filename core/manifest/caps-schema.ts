// What a workspace, and a user, say of caps: `budget:` of the file holdfast.yaml.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { DEFAULT_BUDGET } from '../model/budget.ts';
import { CAP_LIMITS, type CapConfig } from '../model/caps.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { Cost, Count, Irreversible, ResetHour, ResetZone } from './budget-schema.ts';
import { knownKeys } from './known-keys.ts';

/** In the directory of the workspace, and in the user's data folder. */
export const CAPS_FILE = 'holdfast.yaml';

const CapsFile = z.strictObject({
  budget: z
    .strictObject({
      max_tool_calls_per_day: Count,
      max_runs_per_day: Count,
      max_cost_per_day: Cost,
      max_irreversible_per_day: Irreversible,
      max_llm_turns_per_day: Count,
      max_tokens_per_day: Count,
      max_money_per_day: Cost,
      reset_hour: ResetHour,
      reset_timezone: ResetZone,
    })
    .prefault({}),
});

/**
 * The cap that a file says; null where there is no file, or it has no limits.
 * @throws `caps.unreadable`, `caps.invalid`
 */
export function readCaps(path: string): CapConfig | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unusable('unreadable', path, messageOf(error), error);
  }
  return capsIn(path, text);
}

/** @throws `caps.invalid` */
export function capsIn(path: string, text: string): CapConfig | null {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    // What follows the first line shows the text itself.
    const why = messageOf(error).split('\n')[0]?.replace(/:$/, '');
    throw unusable('invalid', path, `it is not YAML: ${why}`, error);
  }
  const parsed = CapsFile.safeParse(document ?? {});
  if (!parsed.success) {
    throw unusable('invalid', path, parsed.error.issues.map(issueText).join('; '), parsed.error);
  }
  const { budget } = parsed.data;
  const limits: Record<string, number> = {};
  for (const limit of CAP_LIMITS) {
    const max = budget[limit];
    if (typeof max === 'number') limits[limit] = max;
  }
  if (Object.keys(limits).length === 0) return null;
  return {
    limits,
    resetHour: budget.reset_hour ?? DEFAULT_BUDGET.resetHour,
    resetZone: budget.reset_timezone ?? DEFAULT_BUDGET.resetZone,
  };
}

function issueText(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'the file' : issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
  const those = knownKeys(CapsFile, issue.path).join(', ');
  return `${where} has ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which is not a setting; there are ${those}`;
}

function unusable(what: 'unreadable' | 'invalid', path: string, why: string, cause: unknown): AppError {
  return new AppError(
    `caps.${what}`,
    `${path} can't be used: ${why}. Without it nobody knows what all processes together may use; mend it, or take it away.`,
    { path },
    { cause },
  );
}
