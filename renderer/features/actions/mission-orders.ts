import type { MissionOrder } from '../../../core/model/mission.ts';

export const ORDER_LABELS: Readonly<Record<MissionOrder, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  fail: 'Fail',
  complete: 'Complete',
};
