import { EventEmitter } from 'node:events';
import { record } from '../record.ts';

type Kept =
  | 'getSystemIdleState'
  | 'getSystemIdleTime'
  | 'isOnBatteryPower'
  | 'onBatteryPower'
  | 'getCurrentThermalState';

class PowerMonitor extends EventEmitter implements Pick<Electron.PowerMonitor, Kept> {
  readonly onBatteryPower = false;

  getSystemIdleState(): 'active' {
    return 'active';
  }

  getSystemIdleTime(): number {
    return 0;
  }

  isOnBatteryPower(): boolean {
    return this.onBatteryPower;
  }

  getCurrentThermalState(): 'nominal' {
    return 'nominal';
  }
}

/** A test emits `suspend` and `resume` on it. */
export const powerMonitor = new PowerMonitor();

const blockers = new Set<number>();
let lastBlocker = 0;

export const powerSaveBlocker = {
  start(type: 'prevent-app-suspension' | 'prevent-display-sleep'): number {
    const id = ++lastBlocker;
    blockers.add(id);
    record('power-save-blocker', { id, type });
    return id;
  },
  stop(id: number): boolean {
    record('power-save-blocker.stopped', { id });
    return blockers.delete(id);
  },
  isStarted: (id: number): boolean => blockers.has(id),
} satisfies Electron.PowerSaveBlocker;
