// Processes with secrets, with real workers.

import { NO_SECRETS, type SecretsConfig } from '../../core/model/secrets.ts';

/** Nobody would write it by accident, and each encoding changes it. */
export const PLANTED = 'sk/live+9f3Z"k\\7é&=Q%x<2>pw';
export const OTHER = 'rotated/key+"ü\\ 42&Zz9<a>';

/** Each from a variable of its own name. */
export function secretsOf(
  names: readonly string[],
  more: Partial<SecretsConfig> = {},
): { secrets: SecretsConfig } {
  return {
    secrets: {
      ...NO_SECRETS,
      sources: Object.fromEntries(names.map((name) => [name, { kind: 'variable', variable: name }])),
      withheld: names,
      ...more,
    },
  };
}
