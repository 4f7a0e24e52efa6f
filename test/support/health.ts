// Processes whose health is watched.

import type { StoredEntry } from '../../core/model/entry.ts';
import { DEFAULT_HEALTH, onAll, type HealthConfig, type OnAnomaly } from '../../core/model/health.ts';
import { textAt } from '../../core/model/json.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';

/** All detectors on, and each with this action. */
export const health = (
  action: OnAnomaly,
  more: Partial<HealthConfig> = {},
): { readonly health: HealthConfig } => ({
  health: {
    ...DEFAULT_HEALTH,
    isEnabled: true,
    onAnomaly: { ...onAll(action), slow: action },
    ...more,
  },
});

export const isHeldByHealth = ({ snapshot }: AgentProcess): boolean =>
  snapshot.holds.some(({ kind }) => kind === 'health');

/** What was found, recovered and cleared, in order: "stuck", "-stuck", "!stuck". */
export function toldOf(entries: readonly Pick<StoredEntry, 'entry_type' | 'data'>[]): string[] {
  const signs: Readonly<Record<string, string>> = {
    health_anomaly: '',
    health_recovered: '-',
    health_cleared: '!',
  };
  return entries.flatMap(({ entry_type, data }) =>
    Object.hasOwn(signs, entry_type) ? [`${signs[entry_type]!}${textAt(data, 'anomaly_type', 'all')}`] : [],
  );
}
