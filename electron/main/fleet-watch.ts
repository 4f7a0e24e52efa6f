import type { ConsoleHost } from '../../core/contract/console-host.ts';
import type { FleetView } from '../../core/contract/fleet-views.ts';

const REST_MS = 500;

/** Calls back with the fleet now and after changes, at most twice a second. The result ends it. */
export function watchFleet(host: ConsoleHost, changed: (fleet: FleetView) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stale = false;
  const look = (): void => {
    stale = false;
    changed(host.fleet());
    timer = setTimeout(() => {
      timer = undefined;
      if (stale) look();
    }, REST_MS);
  };
  const unsubscribe = host.subscribe((event) => {
    if (event.name !== 'fleet.changed') return;
    stale = true;
    if (timer === undefined) look();
  });
  look();
  return () => {
    unsubscribe();
    clearTimeout(timer);
    stale = false;
  };
}
