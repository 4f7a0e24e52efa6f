// One switch that holds the triggers of all processes at once, beside what is paused in each of them. It is in the journal of
// every process, with a number: so it outlives a restart, and one that could not be told follows as soon as it can.

import { AppError, asAppError } from '../model/errors.ts';
import type { WorkspaceSwitch } from '../model/trigger-record.ts';
import type { AgentProcess } from './agent-process.ts';
import type { Actor } from './lifecycle-driver.ts';

export interface SwitchReport {
  /** Processes whose journal has it. */
  readonly reached: number;
  /** Those whose journal could not take it, with why. */
  readonly failed: readonly { readonly process: string; readonly message: string }[];
}

export class TriggerSwitch {
  readonly #processes: () => Iterable<AgentProcess>;

  constructor(processes: () => Iterable<AgentProcess>) {
    this.#processes = processes;
  }

  /** As it was set last; null where nobody ever touched it. */
  get standing(): WorkspaceSwitch | null {
    let last: WorkspaceSwitch | null = null;
    for (const { snapshot } of this.#processes()) {
      const { switch: heard } = snapshot.triggers;
      if (heard !== undefined && heard.number > (last?.number ?? 0)) last = heard;
    }
    return last;
  }

  /**
   * Resolves when each journal that can take it has it.
   * @throws `triggers.held`, `triggers.not-held` where it stands so already
   */
  async set(isHeld: boolean, actor: Actor): Promise<SwitchReport> {
    const { standing } = this;
    if (((standing?.pause ?? null) !== null) === isHeld) throw standsSo(standing);
    const number = (standing?.number ?? 0) + 1;
    const processes = [...this.#processes()];
    const told = await Promise.allSettled(
      processes.map((process) => process.triggerDesk.switchAll(number, isHeld, actor)),
    );
    const failed = told.flatMap((one, at) =>
      one.status === 'fulfilled'
        ? []
        : [{ process: processes[at]!.name, message: asAppError(one.reason).message }],
    );
    return { reached: processes.length - failed.length, failed };
  }

  /** Of processes that came, or could not be told, since it was set. */
  takeUp(): void {
    const { standing } = this;
    for (const process of this.#processes()) process.triggerDesk.follow(standing);
  }
}

function standsSo(standing: WorkspaceSwitch | null): AppError {
  const pause = standing?.pause ?? null;
  if (pause === null)
    return new AppError('triggers.not-held', 'The triggers are not held, so there is nothing to release.');
  return new AppError(
    'triggers.held',
    `The triggers of all processes are held already, by ${pause.actor} since ${pause.at}: ${pause.reason}`,
  );
}
