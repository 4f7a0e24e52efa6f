import type { FleetView } from '../../core/contract/views.ts';
import { incidentsAfter, type IncidentNotification, type Incidents } from './incidents.ts';

/** Tells of incidents in the fleets that the result is called with, and looks again by itself where one is not due yet. */
export function watchIncidents(
  fleetNow: () => FleetView,
  tell: (notification: IncidentNotification) => void,
): (fleet: FleetView) => void {
  let incidents: Incidents = null;
  let timer: NodeJS.Timeout | undefined;
  const look = (fleet: FleetView): void => {
    const nowMs = performance.now();
    const after = incidentsAfter(incidents, fleet, nowMs);
    incidents = after.incidents;
    clearTimeout(timer);
    if (after.dueMs !== null) timer = setTimeout(() => look(fleetNow()), Math.ceil(after.dueMs - nowMs));
    after.notifications.forEach((each) => tell(each));
  };
  return look;
}
