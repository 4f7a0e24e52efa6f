// Tells somebody outside what a process can't mend by itself: a cause once, until it is over. The journal has it all, so a
// crash forgets nobody, and whoever was told right before it is told again with the same id [P4]. Nothing here ever stops a
// process: what can't be told is recorded and said, and that is all.

import { AppError } from '../model/errors.ts';
import { shownUrl, type Cause, type EscalationConfig, type EscalationTarget } from '../model/escalation.ts';
import { isPending, openCause, type RaisedCause } from '../model/escalation-state.ts';
import { recordable, type JsonObject } from '../model/json.ts';
import { ownCauseOver, ownCauses, waitsForPeople, type OwnCausesConfig } from '../model/own-causes.ts';
import type { Clock, Ids } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import type { Recorder } from '../runtime/recorder.ts';
import { deliveryOf, type DeliveryResult } from './escalation-delivery.ts';
import { EscalationPump } from './escalation-pump.ts';
import type { Post } from './webhook-post.ts';

/** The same cause, over and there again, is told again after so long at the earliest. */
const MIN_INTERVAL_MS = 60_000;
const MAX_SUMMARY = 1_000;
const MAX_KEY = 200;
/** Of what is told beside the summary, as JSON. */
const MAX_DETAIL = 16 * 1024;

export interface EscalationKeeperOptions {
  readonly process: string;
  readonly config: () => OwnCausesConfig;
  readonly recorder: () => Recorder;
  /** Whether the journal takes anything. */
  readonly isSound: () => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly post: Post;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** An event was recorded, and is to be delivered. */
  readonly onEvent: () => void;
  /** Somebody could not be told, and is not told any more. */
  readonly onUntold: (message: string) => void;
  readonly onChange: () => void;
}

/** Repetitions that are not on record yet. */
interface Unsaid {
  count: number;
  sinceMs: number;
}

export class EscalationKeeper {
  readonly #options: EscalationKeeperOptions;
  readonly #pump: EscalationPump;
  readonly #unsaid = new Map<string, Unsaid>();
  /** Web addresses as they were given, by the id of the cause; after another start they are those of the manifest. */
  readonly #urls = new Map<string, string>();
  #isLooking = false;
  /** Whether nothing was told because nobody knows whether this journal is the one that counts. */
  #isGap = false;

  constructor(options: EscalationKeeperOptions) {
    this.#options = options;
    this.#pump = new EscalationPump({
      ...options,
      random: options.random ?? Math.random,
      urlOf: (cause) => this.#urls.get(cause.id) ?? this.#targetOf(cause)?.webhookUrl ?? null,
      onDone: (cause, result) => this.#done(cause, result),
    });
  }

  /** Tells whom the cause names, or whom the manifest names for whatever names nobody. */
  raise(cause: Cause): void {
    const { process, recorder, isSound, onUntold, onChange } = this.#options;
    const key = cause.key.slice(0, MAX_KEY);
    if (!isSound()) {
      onUntold(
        `The journal of ${process} takes no entries, so nobody outside is told what is wrong with it. It is: ${cause.summary}`,
      );
      return;
    }
    if (openCause(recorder().snapshot, key) === undefined) this.#raiseNew({ ...cause, key });
    else this.#repeated(key);
    this.#pump.run();
    onChange();
  }

  /** It is over: when it comes up again, it is told again. */
  over(key: string, why: string): void {
    const { recorder, isSound, onChange } = this.#options;
    const cause = openCause(recorder().snapshot, key.slice(0, MAX_KEY));
    if (cause === undefined || !isSound()) return;
    const repeated = this.#unsaid.get(cause.key)?.count ?? 0;
    this.#unsaid.delete(cause.key);
    recorder().note('escalation_over', {
      key: cause.key,
      id: cause.id,
      reason: why.slice(0, MAX_SUMMARY),
      ...(repeated === 0 ? {} : { repeated }),
    });
    this.#forgetTold(cause.id);
    onChange();
  }

  /** What the process itself shows to be wrong is told, and what is right again is over. Whenever anything changed. */
  look(): void {
    const { process, config, recorder, isSound } = this.#options;
    const { snapshot } = recorder();
    const { holds, lifecycle, escalations } = snapshot;
    // Nearly always there is nothing to look at.
    const isQuiet = holds.length === 0 && lifecycle !== 'failed' && escalations.length === 0;
    if (isQuiet && !waitsForPeople(snapshot)) return;
    if (this.#isLooking || !isSound()) return;
    const wasGap = this.#isGap;
    this.#isGap = holds.some(({ kind }) => kind === 'gap');
    if (wasGap && !this.#isGap) this.#pump.run();
    this.#isLooking = true;
    try {
      for (const { key, overAt } of escalations) {
        const why = overAt === null ? ownCauseOver(key, snapshot) : null;
        if (why !== null) this.over(key, why);
      }
      for (const cause of ownCauses(process, snapshot, config())) {
        if (openCause(recorder().snapshot, cause.key) === undefined) this.raise(cause);
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** What was left to be told is told from now on. */
  open(): void {
    this.look();
    this.#pump.open();
  }

  /** What is under way is called off, and told once it opens again. */
  close(): void {
    this.#pump.close();
  }

  /**
   * Tells everybody whom the manifest names, once, that this is a test. Resolves with what came of it, a sentence for each.
   * @throws `escalation.no-target`
   */
  async test(by: string): Promise<readonly string[]> {
    const { ids, recorder, process } = this.#options;
    const targets = targetsOf(this.#options.config());
    if (targets.length === 0) {
      throw new AppError(
        'escalation.no-target',
        `The manifest of ${process} names nobody who is told when something is wrong. Give it an escalation with a webhook_url or an event_type, under holdfast or in a section.`,
        { process },
      );
    }
    const results = targets.map(async (target) => {
      const key = `test/${ids.next()}`;
      const cause: Cause = {
        kind: 'test',
        key,
        summary: `${process} is well: this is a test, asked for by ${by}`,
        detail: { asked_by: by },
        target,
      };
      this.raise(cause);
      const raised = openCause(recorder().snapshot, key);
      const said = raised === undefined ? [] : await this.#pump.told(raised);
      this.over(key, 'it was a test');
      return said;
    });
    return (await Promise.all(results)).flat();
  }

  #raiseNew(cause: Cause): void {
    const { recorder, clock, ids } = this.#options;
    const { key, kind, summary, detail } = cause;
    const id = ids.next();
    const target = cause.target ?? this.#general?.target ?? null;
    const dueAt = this.#notBefore(key);
    const told = (to: string, of: string): JsonObject => ({
      target: of,
      to,
      ...(dueAt === null ? {} : { due_at: timestampOf(dueAt) }),
    });
    const url = target?.webhookUrl ?? null;
    const eventType = target?.eventType ?? null;
    if (url !== null) this.#urls.set(id, url);
    this.#unsaid.set(key, { count: 0, sinceMs: clock.monotonic() });
    recorder().note('escalation_raised', {
      key,
      id,
      kind,
      summary: summary.slice(0, MAX_SUMMARY),
      detail: bounded(detail),
      targets: [
        ...(url === null ? [] : [told(shownUrl(url), 'webhook')]),
        ...(eventType === null ? [] : [told(eventType, 'event')]),
      ],
    });
  }

  /** Counted, and on record from time to time: what comes up all the time is not to fill the journal. */
  #repeated(key: string): void {
    const { recorder, clock } = this.#options;
    const unsaid = this.#unsaid.get(key) ?? { count: 0, sinceMs: Number.NEGATIVE_INFINITY };
    this.#unsaid.set(key, unsaid);
    unsaid.count += 1;
    const now = clock.monotonic();
    if (now - unsaid.sinceMs < MIN_INTERVAL_MS) return;
    const repeated = unsaid.count;
    unsaid.count = 0;
    unsaid.sinceMs = now;
    recorder().note('escalation_raised', { key, repeated });
  }

  /** Epoch milliseconds; null for at once. */
  #notBefore(key: string): number | null {
    const { recorder, clock } = this.#options;
    const last = recorder().snapshot.escalations.findLast((cause) => cause.key === key);
    if (last === undefined || last.deliveries.every(({ status }) => status === 'dropped')) return null;
    const now = clock.now();
    const sinceMs = now - Date.parse(last.at);
    // On a clock that was set back nobody waits longer than that.
    return sinceMs >= MIN_INTERVAL_MS ? null : now + MIN_INTERVAL_MS - Math.max(0, sinceMs);
  }

  #done(cause: RaisedCause, result: DeliveryResult): void {
    const { process, recorder, onUntold, onChange } = this.#options;
    recorder().note(result.isSent ? 'escalation_sent' : 'escalation_failed', deliveryOf(cause, result));
    this.#forgetTold(cause.id);
    if (!result.isSent && result.retryAt === null && cause.kind !== 'test') {
      onUntold(
        `${result.to} could not be told of what is wrong with ${process}, and is not told any more: ${result.reason}. It is: ${cause.summary}`,
      );
    }
    onChange();
  }

  /** Once nobody is left to be told. */
  #forgetTold(id: string): void {
    const cause = this.#options.recorder().snapshot.escalations.find((one) => one.id === id);
    if (cause !== undefined && isPending(cause)) return;
    this.#urls.delete(id);
    this.#pump.forget(id);
  }

  get #general(): EscalationConfig | null {
    return this.#options.config().escalation;
  }

  /** Of whom the manifest says now. */
  #targetOf({ kind }: RaisedCause): EscalationTarget | null {
    return sectionTarget(this.#options.config(), kind) ?? this.#general?.target ?? null;
  }
}

/** Whom the section of a manifest for causes of this kind names. */
function sectionTarget(config: OwnCausesConfig, kind: RaisedCause['kind']): EscalationTarget | null {
  if (kind === 'process' || kind === 'test' || kind === 'approval') return null;
  return config[kind]?.escalation ?? null;
}

/** Everybody whom a manifest names, once. */
export function targetsOf(config: OwnCausesConfig): readonly EscalationTarget[] {
  const all = [
    config.escalation?.target ?? null,
    ...(['budget', 'health', 'mission'] as const).map((kind) => sectionTarget(config, kind)),
  ].filter((target) => target !== null);
  const known = new Set<string>();
  return all.flatMap(({ webhookUrl, eventType }): EscalationTarget[] => {
    const isNew = (what: string | null): boolean =>
      what !== null && !known.has(what) && known.add(what).size > 0;
    const target = {
      webhookUrl: isNew(webhookUrl) ? webhookUrl : null,
      eventType: isNew(eventType) ? eventType : null,
    };
    return target.webhookUrl === null && target.eventType === null ? [] : [target];
  });
}

/** What a journal would refuse, or is too much of, is left out, and that is said. */
function bounded(detail: JsonObject): JsonObject {
  try {
    const kept = recordable(detail, 'what is told') as JsonObject;
    const bytes = JSON.stringify(kept).length;
    return bytes <= MAX_DETAIL ? kept : { left_out: `its detail, which has ${bytes} characters` };
  } catch {
    return { left_out: 'its detail, which can not be written down' };
  }
}
