// What an agent in open mode asks its host to change about itself. Each change is one entry, with the key of the effect that
// asks for it: asked again after a crash, it is found there and not made twice [P2]. What is checked and its entry come in one
// step, with nothing in between.

import { planOf, type AgentPlan, type OpenPlan } from '../model/agent-plan.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { EntryType } from '../model/entry.ts';
import type { JsonObject } from '../model/json.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { isSelfAction, type HostAnswer, type SelfAction } from '../model/self-actions.ts';
import { describeChange, doneWith, MAX_CHANGES, standing, type SelfChange } from '../model/self-change.ts';
import { openOf, type ProcessSnapshot } from '../model/snapshot.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Recorder } from './recorder.ts';
import { argumentsOf, type ArgumentsOf } from './self-arguments.ts';
import { guardedServer, guardedTrigger, refused } from './self-guards.ts';
import type { SelfReads } from './self-reads.ts';
import type { SelfSpawn } from './self-spawn.ts';
import type { SelfUndo } from './self-undo.ts';
import { doneText, overText, undoneText } from './self-texts.ts';
import { triggerIdOf } from './trigger-id.ts';
import type { TriggerSet } from './trigger-set.ts';

export interface SelfDeskOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly settings: LiveSettings;
  readonly triggers: TriggerSet;
  readonly reads: SelfReads;
  readonly spawn: SelfSpawn;
  readonly undo: SelfUndo;
  /** @throws where nothing may be done to the process now */
  readonly refuseNow: () => void;
  readonly onChange: () => void;
}

export interface AskedOfHost {
  readonly key: string;
  readonly action: string;
  readonly args: unknown;
  readonly eventId: string;
}

/** Who asks, and on what authority. */
interface Asking {
  readonly key: string;
  readonly eventId: string;
  readonly open: OpenPlan;
  readonly plan: AgentPlan;
}

type Change = Exclude<
  SelfAction,
  'list_processes' | 'list_capabilities' | 'get_secret' | 'check_budget' | 'check_mission'
>;

/** Beside those of its manifest, whoever added them. */
const MAX_ADDED_TRIGGERS = 100;
/** Whatever else goes wrong leaves open what became of it. */
const REFUSALS = ['self.', 'trigger.', 'settings.'];

export class SelfDesk {
  readonly #options: SelfDeskOptions;

  constructor(options: SelfDeskOptions) {
    this.#options = options;
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  /** Resolves when what it tells is durable; never rejects. */
  async answer(asked: AskedOfHost): Promise<HostAnswer> {
    try {
      return { ok: true, text: await this.#answered(asked) };
    } catch (error) {
      const code = codeOf(error);
      const isRefused = REFUSALS.some((family) => code.startsWith(family));
      return { ok: false, isRefused, code, message: messageOf(error) };
    }
  }

  async #answered({ key, action, args, eventId }: AskedOfHost): Promise<string> {
    if (!isSelfAction(action))
      throw refused('unknown', `There is no ${action.slice(0, 100)} to be asked for.`);
    const asking = { key, eventId, ...this.#authority(eventId, key) };
    const { reads } = this.#options;
    switch (action) {
      case 'list_processes':
        return reads.processes();
      case 'list_capabilities':
        return reads.capabilities(asking.open);
      case 'check_budget':
        return reads.budget();
      case 'check_mission':
        return reads.mission();
      case 'get_secret':
        return reads.secret(argumentsOf(action, args).name);
      case 'modify_instructions':
      case 'add_trigger':
      case 'remove_trigger':
      case 'connect_mcp_server':
      case 'disconnect_mcp_server':
      case 'spawn_process':
      case 'undo_change':
        return this.#changed(action, args, asking);
    }
  }

  /** The plan that its invocation is pinned to, as far as the one in force allows the same [S25]. */
  #authority(eventId: string, key: string): Pick<Asking, 'open' | 'plan'> {
    this.#options.refuseNow();
    const invocation = openOf(this.#snapshot, eventId);
    // The effect is what makes it known again, so nothing is done outside of one.
    if (invocation?.effects.some((effect) => effect.key === key && effect.end === null) !== true) {
      throw refused('no-effect', 'It is asked for outside of an effect, so nobody would know it again.');
    }
    const pinned = planOf(invocation.plan ?? null);
    const { agent: plan } = this.#options.settings.config;
    const open = plan?.open ?? null;
    if (plan === null || open === null || (pinned?.open ?? null) === null) {
      throw refused('strict', 'This agent is in strict mode: it changes nothing about itself.');
    }
    return { open, plan };
  }

  async #changed(action: Change, args: unknown, asking: Asking): Promise<string> {
    const done = doneWith(this.#snapshot.self, asking.key);
    if (done.length > 0 && action !== 'undo_change') return this.#again(done[0]!, asking.key);
    const isMore =
      action !== 'remove_trigger' && action !== 'disconnect_mcp_server' && action !== 'undo_change';
    if (isMore && standing(this.#snapshot.self).length >= MAX_CHANGES) {
      throw refused(
        'too-many',
        `${MAX_CHANGES} changes are in force, and no more are kept. Undo some first.`,
      );
    }
    switch (action) {
      case 'modify_instructions':
        return this.#instructions(argumentsOf(action, args), asking);
      case 'add_trigger':
        return this.#addTrigger(argumentsOf(action, args), asking);
      case 'remove_trigger':
        return this.#removeTrigger(argumentsOf(action, args), asking);
      case 'connect_mcp_server':
        return this.#connect(argumentsOf(action, args), asking);
      case 'disconnect_mcp_server':
        return this.#disconnect(argumentsOf(action, args), asking);
      case 'spawn_process':
        return this.#spawn(argumentsOf(action, args), asking);
      case 'undo_change':
        return this.#undo(argumentsOf(action, args), asking);
    }
  }

  /** Asked before, and then somebody was gone: it is on record, and said again once that is durable. */
  async #again(change: SelfChange, key: string): Promise<string> {
    if (change.kind === 'process' && change.end === null) {
      await this.#options.spawn.begun(change.what);
    }
    await this.#options.recorder().settled();
    this.#options.refuseNow();
    if (change.end !== null && change.end.key !== key && change.end.how === 'removed') {
      throw refused('taken-back', `It was done, and taken back since: ${change.end.reason}`);
    }
    return change.end?.key === key ? overText(change) : doneText(change);
  }

  #actor({ name }: ProcessDefinition, reason: string): Actor {
    return { name: `agent:${name}`, reason };
  }

  /** Resolves when it is durable. */
  async #record(
    type: EntryType,
    data: JsonObject,
    { key, eventId }: Asking,
    reason: string,
  ): Promise<SelfChange> {
    const { definition, recorder, onChange } = this.#options;
    const { name: actor } = this.#actor(definition, reason);
    const durable = recorder().record(
      type,
      { ...data, key, event_id: eventId, actor, reason },
      { synced: true },
    );
    const [change] = doneWith(this.#snapshot.self, key);
    onChange();
    await durable;
    if (change === undefined) throw new Error(`${type} changed nothing that ${key} is known by`);
    return change;
  }

  // --- what can be asked for

  async #instructions(args: ArgumentsOf<'modify_instructions'>, asking: Asking): Promise<string> {
    const { open } = asking;
    const { instructions, reason } = args;
    if (!open.mayChangeInstructions) throw notAllowed('change its instructions');
    if (instructions.length > open.maxInstructionLength) {
      throw refused(
        'too-long',
        `These instructions have ${instructions.length} characters, and ${open.maxInstructionLength} are allowed. Shorten them.`,
      );
    }
    const changes = this.#options.settings.plan({ set: { instructions }, undo: [] });
    if (changes.length === 0) return 'Your instructions are so already; nothing was changed.';
    this.#refuseRebuilds(open);
    const change = await this.#record(
      'settings_changed',
      { changes: changes.map((one) => ({ ...one })) },
      asking,
      reason,
    );
    return doneText(change);
  }

  async #addTrigger(
    { trigger: config, reason }: ArgumentsOf<'add_trigger'>,
    asking: Asking,
  ): Promise<string> {
    const { definition, recorder, triggers } = this.#options;
    const { open } = asking;
    if (!open.mayManageTriggers) throw notAllowed('add or remove triggers');
    if (standing(this.#snapshot.self, 'trigger').length >= open.maxTriggers) {
      throw refused(
        'too-many',
        `It has added ${open.maxTriggers} triggers, and no more are allowed. Remove one first.`,
      );
    }
    const { trigger, kept } = guardedTrigger(config, definition.directory);
    const id = triggerIdOf(trigger);
    if (triggers.find(id) !== undefined || triggers.whyUnusable(id) !== null) {
      throw refused('exists', `There is the trigger ${id} already, which listens to the same.`);
    }
    if (this.#snapshot.triggers.added.length >= MAX_ADDED_TRIGGERS) {
      throw refused(
        'too-many',
        `There are ${MAX_ADDED_TRIGGERS} triggers beside the manifest, and no more are kept.`,
      );
    }
    const recorded = this.#record('trigger_added', { trigger_id: id, config: kept }, asking, reason);
    triggers.refresh();
    const change = await recorded;
    const problem = await triggers.tried(id);
    if (problem === null || triggers.find(id)?.isAdded !== true) return doneText(change);
    await recorder().record('trigger_removed', { trigger_id: id, actor: 'host', reason: problem.message });
    triggers.refresh();
    throw new AppError(problem.code, problem.message, { triggerId: id });
  }

  async #removeTrigger(args: ArgumentsOf<'remove_trigger'>, asking: Asking): Promise<string> {
    const { trigger_id: id, reason } = args;
    if (!asking.open.mayManageTriggers) throw notAllowed('add or remove triggers');
    if (!this.#isOwn('trigger', id)) {
      throw refused(
        'not-own',
        `It has added no trigger ${id}, and can remove those alone that it added itself. ${this.#own('trigger')}`,
      );
    }
    const recorded = this.#record('trigger_removed', { trigger_id: id }, asking, reason);
    this.#options.triggers.refresh();
    return overText(await recorded);
  }

  async #connect(args: ArgumentsOf<'connect_mcp_server'>, asking: Asking): Promise<string> {
    const { name, url, transport, reason } = args;
    const { open } = asking;
    if (!open.mayConnectServers) throw notAllowed('connect servers');
    const server = await guardedServer(url, transport, open);
    // Meanwhile its process may have been stopped, and its manifest have changed.
    const { plan } = this.#authority(asking.eventId, asking.key);
    if (Object.hasOwn(plan.servers, name) || Object.hasOwn(this.#snapshot.self.servers, name)) {
      throw refused('exists', `There is a server ${name} already. Choose another name.`);
    }
    this.#refuseRebuilds(open);
    return doneText(await this.#record('server_connected', { name, server: { ...server } }, asking, reason));
  }

  async #disconnect(args: ArgumentsOf<'disconnect_mcp_server'>, asking: Asking): Promise<string> {
    const { name, reason } = args;
    if (!asking.open.mayConnectServers) throw notAllowed('connect servers');
    if (!this.#isOwn('server', name)) {
      throw refused(
        'not-own',
        `It has connected no server ${name}, and can disconnect those alone that it connected itself. ${this.#own('server')}`,
      );
    }
    return overText(await this.#record('server_disconnected', { name }, asking, reason));
  }

  async #spawn(args: ArgumentsOf<'spawn_process'>, asking: Asking): Promise<string> {
    const { open } = asking;
    const { spawn } = this.#options;
    if (!open.maySpawn) throw notAllowed('begin processes');
    const { reason, ...wanted } = args;
    await spawn.refuseTaken(wanted.name);
    // From here to its entry nothing else happens, so no two of them are one too many.
    this.#authority(asking.eventId, asking.key);
    const spawned = spawn.checked(wanted, open);
    const { name: child, ...rest } = spawned;
    const change = await this.#record(
      'process_spawned',
      { child, ...rest, triggers: [...rest.triggers], secrets: [...rest.secrets] },
      asking,
      reason,
    );
    await spawn.begun(child);
    return doneText(change);
  }

  async #undo({ change, reason }: ArgumentsOf<'undo_change'>, { key }: Asking): Promise<string> {
    const actor = this.#actor(this.#options.definition, reason || 'the agent took it back');
    const done = doneWith(this.#snapshot.self, key);
    const before = done.filter(({ end }) => end?.key === key);
    if (change !== 'all' && before.some(({ seq }) => seq === change)) return undoneText(before);
    const undone = await this.#options.undo.undo(change === 'all' ? null : [change], actor, { key });
    const all = [...before, ...undone];
    if (all.length > 0) return undoneText(all);
    if (change === 'all') return 'Nothing that it changed about itself is in force.';
    throw refused('no-change', `There is no change ${change} in force. ${this.#own()}`);
  }

  // --- limits

  #refuseRebuilds({ maxRebuilds }: OpenPlan): void {
    if (maxRebuilds === null || this.#snapshot.self.rebuilds < maxRebuilds) return;
    throw refused(
      'too-many',
      `Its instructions and servers were changed ${maxRebuilds} times by itself, and that is what the manifest allows.`,
    );
  }

  #isOwn(kind: SelfChange['kind'], what: string): boolean {
    return standing(this.#snapshot.self, kind).some((change) => change.what === what);
  }

  #own(kind?: SelfChange['kind']): string {
    const own = standing(this.#snapshot.self, kind);
    if (own.length === 0) return 'There are none.';
    return `There are: ${own.map((change) => `${change.seq} (${describeChange(change)})`).join(', ')}.`;
  }
}

function notAllowed(what: string): AppError {
  return refused('not-allowed', `The manifest does not allow this agent to ${what}.`);
}
