import type { AppView } from '../../core/contract/app-view.ts';

const UNPROVEN =
  'proves nothing of the system’s sandbox, fuses, the archive, native trays and menus, or code signing';

/** Which shell this is. The stand-in, which tells itself by a version of its own, says so and what it can't show. */
export function appView(
  version: string,
  platform: string,
  versions: Readonly<Record<string, string | undefined>>,
): AppView {
  const isStandIn = versions['standin'] !== undefined || versions['electron'] === undefined;
  const engine = `Chromium ${versions['chrome'] ?? 'unknown'}, Node ${versions['node'] ?? 'unknown'}`;
  return {
    version,
    platform,
    isStandIn,
    host: isStandIn
      ? `Stand-in for Electron (${engine}): ${UNPROVEN}`
      : `Electron ${versions['electron'] ?? ''} (${engine})`,
  };
}
