import type { FleetView } from '../../core/contract/fleet-views.ts';
import { causesAfter, type KnownCauses } from './causes.ts';
import { incidentsAfter, type IncidentNotification, type Incidents } from './incidents.ts';

/** Tells of incidents, and of causes that somebody is to be told of, in the fleets that the result is called with, and looks again by itself where one is not due yet. */
export function watchIncidents(
  fleetNow: () => FleetView,
  tell: (notification: IncidentNotification) => void,
): (fleet: FleetView) => void {
  let incidents: Incidents = null;
  let causes: KnownCauses = null;
  let timer: NodeJS.Timeout | undefined;
  const look = (fleet: FleetView): void => {
    const nowMs = performance.now();
    const after = incidentsAfter(incidents, fleet, nowMs);
    incidents = after.incidents;
    clearTimeout(timer);
    if (after.dueMs !== null) timer = setTimeout(() => look(fleetNow()), Math.ceil(after.dueMs - nowMs));
    const raised = causesAfter(causes, fleet, nowMs);
    causes = raised.causes;
    [...after.notifications, ...raised.notifications].forEach((each) => tell(each));
  };
  return look;
}
