// What people do to the triggers of a process while it lives: each is an entry, and in force from then on.

import { isVariable } from '../manifest/variables.ts';
import { triggerFromManifest } from '../manifest/trigger-schema.ts';
import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { WorkspaceSwitch } from '../model/trigger-record.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { Recorder } from './recorder.ts';
import { someOf, triggerIdOf } from './trigger-id.ts';
import { checkTrigger, type KnownTrigger } from './trigger-list.ts';
import type { TriggerSet } from './trigger-set.ts';
import type { TriggerProblem } from './trigger-source.ts';

const MAX_ADDED = 100;

export interface TriggerDeskOptions {
  readonly process: string;
  readonly recorder: () => Recorder;
  readonly triggers: TriggerSet;
  /** One thing at a time; rejects where nothing can be done. */
  readonly exclusively: (act: () => void | Promise<void>) => Promise<void>;
  readonly onChange: () => void;
}

export class TriggerDesk {
  readonly #options: TriggerDeskOptions;

  constructor(options: TriggerDeskOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the trigger's id when it is on record and open, if its process has its triggers open.
   * @param config in a manifest's words; a secret only as the name of a variable
   * @param directory what paths in it are relative to
   * @throws `trigger.*` with nothing changed
   */
  async add(config: JsonObject, directory: string, actor: Actor): Promise<string> {
    const { exclusively, recorder, triggers, process, onChange } = this.#options;
    refuseSecret(config);
    const trigger = triggerFromManifest(config, directory);
    if (trigger.type === 'manual') throw isAlwaysThere();
    checkTrigger(trigger);
    const id = triggerIdOf(trigger);
    // A journal may be taken elsewhere, so what it says is not relative to where it was.
    const kept = trigger.type === 'file_watch' ? { ...config, watch_path: trigger.path } : config;
    await exclusively(async () => {
      if (triggers.find(id) !== undefined || triggers.whyUnusable(id) !== null) throw exists(process, id);
      if (recorder().snapshot.triggers.added.length >= MAX_ADDED) throw tooMany(process);
      await recorder().record('trigger_added', { trigger_id: id, config: kept, ...by(actor) });
      triggers.refresh();
    });
    // Whatever it waits for, such as the end of what listened there before, holds up nothing that is done to the process.
    const problem = await triggers.tried(id);
    if (problem !== null) await this.#takeBack(id, problem);
    onChange();
    return id;
  }

  /** @throws what went wrong, with nothing left of it */
  async #takeBack(id: string, { code, message }: TriggerProblem): Promise<never> {
    const { exclusively, recorder, triggers, onChange } = this.#options;
    await exclusively(async () => {
      // Somebody may have taken it away meanwhile.
      if (triggers.find(id)?.isAdded !== true) return;
      await recorder().record('trigger_removed', { trigger_id: id, actor: 'host', reason: message });
      triggers.refresh();
    });
    onChange();
    throw new AppError(code, message, { triggerId: id });
  }

  /** @throws `trigger.not-found` */
  remove(id: string, actor: Actor): Promise<void> {
    return this.#change('trigger_removed', id, actor);
  }

  /** With null all of them: nothing wakes it but a person. */
  pause(id: string | null, actor: Actor): Promise<void> {
    return this.#change('trigger_paused', id, actor);
  }

  /** What was due meanwhile is over. */
  resume(id: string | null, actor: Actor): Promise<void> {
    return this.#change('trigger_resumed', id, actor);
  }

  /**
   * With the triggers of all other processes, by the one switch of their workspace. Resolves when it is durable.
   * @throws what keeps its journal from taking it
   */
  async switchAll(number: number, isHeld: boolean, actor: Actor): Promise<void> {
    const { exclusively, recorder, triggers, onChange } = this.#options;
    await exclusively(async () => {
      const durable = recorder().record(isHeld ? 'trigger_paused' : 'trigger_resumed', {
        workspace: number,
        ...by(actor),
      });
      if (isHeld) triggers.refresh();
      else triggers.reopen(null);
      await durable;
    });
    onChange();
  }

  /** Of a process that did not hear of the switch when it was last touched. */
  follow(standing: WorkspaceSwitch | null): void {
    const { recorder, triggers } = this.#options;
    const own = recorder().snapshot.triggers.switch?.number ?? 0;
    if (standing === null || standing.number <= own) return;
    const { number, pause } = standing;
    const { actor, reason } = pause ?? {
      actor: 'host',
      reason: 'the triggers of all were released meanwhile',
    };
    const type = pause === null ? 'trigger_resumed' : 'trigger_paused';
    recorder().note(type, { workspace: number, actor, reason });
    triggers.refresh();
  }

  async #change(
    type: 'trigger_removed' | 'trigger_paused' | 'trigger_resumed',
    id: string | null,
    actor: Actor,
  ): Promise<void> {
    const { exclusively, recorder, triggers, onChange } = this.#options;
    await exclusively(async () => {
      // What makes no sense any more can be taken away all the same.
      if (id !== null && !(type === 'trigger_removed' && triggers.whyUnusable(id) !== null)) this.find(id);
      const data = { ...(id === null ? {} : { trigger_id: id }), ...by(actor) };
      await recorder().record(type, data);
      // One that was added may have stood before the same of the manifest.
      if (type === 'trigger_removed' && triggers.find(id!) !== undefined) await recorder().record(type, data);
      // A schedule that is resumed begins now, and one that was ahead of the clock with it.
      if (type === 'trigger_resumed') triggers.reopen(id);
      else triggers.refresh();
    });
    onChange();
  }

  /** @throws `trigger.not-found`, `trigger.unusable` */
  find(id: string): KnownTrigger {
    const { triggers, process } = this.#options;
    const known = triggers.find(id);
    if (known !== undefined && known.trigger.type !== 'manual') return known;
    const why = triggers.whyUnusable(id);
    if (why !== null) {
      throw new AppError(
        'trigger.unusable',
        `The trigger ${id} of ${process} wakes nothing as it is, and can only be taken away: ${why.message}`,
        { process, triggerId: id, code: why.code },
        { cause: why },
      );
    }
    const ids = triggers.known().flatMap((other) => (other.trigger.type === 'manual' ? [] : [other.id]));
    throw new AppError(
      'trigger.not-found',
      `${process} has no trigger ${id}. ${ids.length === 0 ? 'It has none.' : `It has: ${someOf(ids)}.`}`,
      { process, triggerId: id },
    );
  }
}

function by({ name, reason }: Actor): JsonObject {
  return { actor: name, reason };
}

/** A journal holds no secret. */
function refuseSecret(config: JsonObject): void {
  const secret = config['hmac_secret'];
  if (secret === undefined || secret === null || (typeof secret === 'string' && isVariable(secret))) return;
  throw new AppError(
    'trigger.secret',
    'A secret can not be kept in a journal. Put it in the environment of the host, and give its name: "hmac_secret": "${NAME}".',
  );
}

function isAlwaysThere(): AppError {
  return new AppError(
    'trigger.invalid',
    'A process can be woken by hand without a trigger for it. Add one of another type.',
  );
}

function exists(process: string, id: string): AppError {
  return new AppError(
    'trigger.exists',
    `${process} has the trigger ${id} already, which listens to the same. Take that one away first, or add one that listens to something else.`,
    { process, triggerId: id },
  );
}

function tooMany(process: string): AppError {
  return new AppError(
    'trigger.too-many',
    `${process} has ${MAX_ADDED} triggers beside its manifest, and no more are kept. Put them into the manifest.`,
    { process },
  );
}
