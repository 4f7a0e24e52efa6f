// What people decide about the bounds of a process: its limits and other settings, its mission, what was found of its health,
// its secrets, and what its agent changed about itself. One thing at a time, and only where its journal takes it.

import type { ExtensionOrder } from '../governance/budget-keeper.ts';
import type { RotationOrder } from '../governance/secret-keeper.ts';
import { openAnomalies, type AnomalyType } from '../model/health.ts';
import type { MissionOrder } from '../model/mission.ts';
import type { SelfChange } from '../model/self-change.ts';
import type { SettingChange } from '../model/settings.ts';
import type { AgentProcess } from './agent-process.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { SettingsOrder } from './live-settings.ts';
import type { ProcessParts } from './process-parts.ts';

export interface GovernanceOrdersOptions extends Pick<
  ProcessParts,
  | 'dependencies'
  | 'recorder'
  | 'guard'
  | 'exclusively'
  | 'settings'
  | 'lifecycle'
  | 'budget'
  | 'mission'
  | 'health'
  | 'secrets'
  | 'escalations'
  | 'room'
  | 'selfUndo'
  | 'onChange'
> {
  readonly self: () => AgentProcess;
}

export class GovernanceOrders {
  readonly #parts: GovernanceOrdersOptions;

  constructor(parts: GovernanceOrdersOptions) {
    this.#parts = parts;
  }

  /** Grants more of a limit; what waited for that goes on. */
  extendBudget(order: ExtensionOrder, actor: Actor): Promise<void> {
    const { exclusively, budget, onChange } = this.#parts;
    return exclusively(async () => {
      await budget.extend(order, actor);
      this.#relieve('its budget was extended');
      onChange();
    });
  }

  /**
   * Changes settings beside the manifest, all of them or none: in force from then on, for what is under way too [S25].
   * Resolves with what changed.
   * @throws `settings.*`
   */
  async changeSettings(order: SettingsOrder, actor: Actor): Promise<readonly SettingChange[]> {
    const { exclusively, settings, onChange } = this.#parts;
    let changes: readonly SettingChange[] = [];
    await exclusively(async () => {
      changes = await settings.change(order, actor);
      if (changes.length > 0) this.#relieve('its limits were changed');
      onChange();
    });
    return changes;
  }

  /** There may be room for what it, or others of its family, wait with. */
  #relieve(why: string): void {
    const { dependencies, room, self } = this.#parts;
    room.relieve(why);
    dependencies.family.relieve(self());
  }

  /** Pauses its mission, takes it up again, or says how it ended. */
  changeMission(order: MissionOrder, actor: Actor): Promise<void> {
    const { exclusively, lifecycle, mission, onChange } = this.#parts;
    return exclusively(async () => {
      await mission.change(order, actor);
      if (order === 'resume') lifecycle.lift(['mission'], actor);
      onChange();
    });
  }

  /** What was found, of this type or at all, was seen: the detectors begin anew, and what that held goes on. */
  clearHealth(type: AnomalyType | null, actor: Actor): Promise<void> {
    const { recorder, exclusively, lifecycle, health, onChange } = this.#parts;
    return exclusively(() => {
      health.clear(type, actor);
      const isHeld = openAnomalies(recorder().snapshot.health).some(({ action }) => action === 'pause');
      if (!isHeld) lifecycle.lift(['health'], actor);
      onChange();
    });
  }

  /** Gives a secret another value, from now on. */
  rotateSecret(order: RotationOrder, actor: Actor): Promise<void> {
    const { exclusively, secrets } = this.#parts;
    return exclusively(() => secrets.rotate(order, actor));
  }

  /** With null all of them. */
  revokeSecret(name: string | null, actor: Actor): Promise<void> {
    const { exclusively, secrets } = this.#parts;
    return exclusively(() => secrets.revoke(name, actor));
  }

  /** Takes back what its agent changed about itself; with null all of it. Resolves with what that was. */
  async undoSelf(changes: readonly number[] | null, actor: Actor): Promise<readonly SelfChange[]> {
    const { exclusively, selfUndo } = this.#parts;
    let undone: readonly SelfChange[] = [];
    await exclusively(async () => {
      undone = await selfUndo.undo(changes, actor);
    });
    return undone;
  }

  /**
   * Tells everybody whom the manifest names that this is a test; resolves with what came of it.
   * @throws `escalation.no-target`
   */
  async testEscalation(by: string): Promise<readonly string[]> {
    const { guard, escalations } = this.#parts;
    await guard.ready();
    return escalations.test(by);
  }
}
