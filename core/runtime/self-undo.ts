// Taking back what an agent changed about itself, one by one or all of it: by an operator, or by itself.

import type { JsonObject } from '../model/json.ts';
import { standing, undoneWith, type SelfChange } from '../model/self-change.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import type { AgentProcess } from './agent-process.ts';
import type { Family } from './family.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { LiveSettings } from './live-settings.ts';
import { OneAtATime } from './one-at-a-time.ts';
import type { Recorder } from './recorder.ts';
import type { TriggerSet } from './trigger-set.ts';

export interface SelfUndoOptions {
  readonly recorder: () => Recorder;
  readonly settings: LiveSettings;
  readonly triggers: TriggerSet;
  readonly family: Family;
  readonly self: () => AgentProcess;
  readonly onChange: () => void;
}

export class SelfUndo {
  readonly #options: SelfUndoOptions;
  /** An operator and the agent itself may ask at once, and taking back a process takes a while. */
  readonly #turns = new OneAtATime();

  constructor(options: SelfUndoOptions) {
    this.#options = options;
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  /** What would be taken back, the newest first; with null all that is in force. */
  plan(changes: readonly number[] | null): readonly SelfChange[] {
    const { self } = this.#snapshot;
    const asked = standing(self).filter(({ seq }) => changes === null || changes.includes(seq));
    return [...new Set(asked.flatMap((change) => undoneWith(self, change)))].toSorted(
      (a, b) => b.seq - a.seq,
    );
  }

  /**
   * Resolves with what was taken back, once it is durable.
   * @param more of each entry
   */
  async undo(
    changes: readonly number[] | null,
    actor: Actor,
    more: JsonObject = {},
  ): Promise<readonly SelfChange[]> {
    let undone: readonly SelfChange[] = [];
    await this.#turns.run(async () => {
      undone = await this.#undo(changes, actor, more);
    });
    return undone;
  }

  async #undo(
    changes: readonly number[] | null,
    { name, reason }: Actor,
    more: JsonObject,
  ): Promise<readonly SelfChange[]> {
    const planned = this.plan(changes);
    const by = { actor: name, reason, ...more };
    const instructions = planned.filter(({ kind }) => kind === 'instructions');
    if (instructions.length > 0) await this.#undoInstructions(instructions, by);
    for (const change of planned) {
      if (change.kind !== 'instructions') await this.#undoOne(change, { name, reason }, by);
    }
    this.#options.onChange();
    return planned;
  }

  /** Back to what they were before the first of these. */
  async #undoInstructions(undone: readonly SelfChange[], by: JsonObject): Promise<void> {
    const { recorder, settings } = this.#options;
    const { before = null } = undone.at(-1)!;
    const changes = settings.plan({ set: { instructions: before }, undo: [] });
    await recorder().record(
      'settings_changed',
      { changes: changes.map((one) => ({ ...one })), undoes: undone.map(({ seq }) => seq), ...by },
      { synced: true },
    );
  }

  async #undoOne({ kind, what, seq }: SelfChange, actor: Actor, by: JsonObject): Promise<void> {
    const { recorder, triggers, family, self } = this.#options;
    const said = { undoes: [seq], ...by };
    switch (kind) {
      case 'instructions':
        return;
      case 'trigger': {
        const recorded = recorder().record(
          'trigger_removed',
          { trigger_id: what, ...said },
          { synced: true },
        );
        triggers.refresh();
        await recorded;
        return;
      }
      case 'server':
        await recorder().record('server_disconnected', { name: what, ...said }, { synced: true });
        return;
      case 'process': {
        const child = family.childrenOf(self()).find(({ name }) => name === what);
        if (child !== undefined) await family.discard(child, actor, said);
        else
          await recorder().record('process_discarded', { child: what, spent: {}, ...said }, { synced: true });
      }
    }
  }
}
