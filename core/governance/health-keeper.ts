// The health of one process, watched: what the detectors find is an entry at the moment at which it is seen, and whoever keeps
// the process hears of it at once [C16]. What they look at is in the journal, so a restart forgets none of it [P4]; what
// is long is measured on the monotonic clock, so a clock that is set changes nothing.

import { AppError } from '../model/errors.ts';
import { openCause } from '../model/escalation-state.ts';
import { recordedOf } from '../model/fold-effects.ts';
import { emptyReplies, failingRuns, loop, silent, slow, stuck } from '../model/health-detectors.ts';
import {
  healthKey,
  isCooling,
  openAnomalies,
  type AnomalyType,
  type Finding,
  type FoundAnomaly,
  type HealthConfig,
  type OnAnomaly,
} from '../model/health.ts';
import type { Clock } from '../model/ports.ts';
import { openOf, type ProcessSnapshot } from '../model/snapshot.ts';
import { Delay } from '../runtime/delay.ts';
import type { Recorder } from '../runtime/recorder.ts';

/** How often what moves is looked at. */
const LOOK_MS = 1_000;
/** A look that comes later than this says that the host stood still, and nothing of what it watches. */
const MAX_LATE_MS = 2_000;

/** A run that a worker has in hand. */
export interface WatchedRun {
  readonly eventId: string;
  /** When it last said something, or could begin to, on the monotonic clock. */
  heardAt: number;
}

export interface Anomaly extends Finding {
  readonly type: AnomalyType;
  readonly action: OnAnomaly;
}

export interface HealthKeeperOptions {
  readonly process: string;
  readonly config: HealthConfig;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  /** Runs that should move: they neither wait nor are held. */
  readonly moving: () => readonly WatchedRun[];
  readonly onAnomaly: (anomaly: Anomaly) => void;
}

/** Of what something is found; of the process as a whole where neither is there. */
interface About {
  readonly eventId?: string;
  readonly effectId?: string;
}

interface UnderWay {
  readonly eventId: string;
  readonly name: string;
  /** Of the monotonic clock. */
  since: number;
}

export class HealthKeeper {
  readonly #options: HealthKeeperOptions;
  readonly #delay: Delay;
  readonly #lookMs: number;
  readonly #isTimed: boolean;
  /** Permitted and not ended, by effect id. */
  readonly #underWay = new Map<string, UnderWay>();
  #lookAt: number | null = null;
  #isResting = false;

  constructor(options: HealthKeeperOptions) {
    const { isEnabled, silentAfterMs, slow: slowness } = options.config;
    this.#options = options;
    this.#delay = new Delay(options.clock);
    this.#isTimed = isEnabled && (silentAfterMs !== null || slowness !== null);
    this.#lookMs = Math.min(LOOK_MS, silentAfterMs ?? LOOK_MS, slowness?.minMs ?? LOOK_MS);
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  // --- what is seen as it happens

  /** A run asked for one effect more. */
  announced(eventId: string): void {
    const { config } = this.#options;
    const open = config.isEnabled ? openOf(this.#snapshot, eventId) : undefined;
    if (open === undefined) return;
    const { anew } = this.#snapshot.health;
    this.#saw('stuck', stuck(open.effects, config, anew.stuck ?? 0), { eventId });
    this.#saw('loop', loop(open.effects, config, anew.loop ?? 0), { eventId });
  }

  /** An effect begins. */
  permitted(effectId: string, eventId: string, name: string): void {
    if (!this.#isTimed) return;
    this.#underWay.set(effectId, { eventId, name, since: this.#options.clock.monotonic() });
    this.#watch();
  }

  /** It came to an end; resolves to how long it took, in milliseconds to a tenth, where that is kept. */
  ended(effectId: string): number | null {
    const underWay = this.#underWay.get(effectId);
    if (underWay === undefined) return null;
    this.#underWay.delete(effectId);
    this.#overIf('slow', (found) => found.effectId === effectId);
    if (this.#options.config.slow === null) return null;
    return Math.round((this.#options.clock.monotonic() - underWay.since) * 10) / 10;
  }

  /** A run was handed over. */
  begun(): void {
    if (this.#isTimed) this.#watch();
  }

  /** A run said something, or goes on. */
  heard(run: WatchedRun): void {
    if (!this.#isTimed) return;
    run.heardAt = this.#options.clock.monotonic();
    this.#overIf('silent', (found) => found.eventId === run.eventId);
    this.#watch();
  }

  /** A run is over, and what it left is in the journal. */
  runEnded(): void {
    const { config } = this.#options;
    if (!config.isEnabled) return;
    this.settle();
    const { runs, replies } = this.#snapshot.health;
    this.#saw('empty_response', emptyReplies(replies, config), {});
    this.#saw('high_error_rate', failingRuns(runs, config), {});
  }

  workerGone(): void {
    this.#underWay.clear();
  }

  // --- what is seen by looking

  /** Whatever moved is held: its silence is expected. */
  rest(): void {
    this.#isResting = true;
    this.#lookAt = null;
    this.#delay.cancel();
  }

  /** It may move again, and has until then been heard of. */
  goOn(): void {
    if (!this.#isResting || !this.#isTimed) return;
    this.#isResting = false;
    const now = this.#options.clock.monotonic();
    for (const run of this.#options.moving()) run.heardAt = now;
    this.#watch();
  }

  #watch(): void {
    if (this.#lookAt !== null || this.#isResting) return;
    this.#lookAt = this.#options.clock.monotonic() + this.#lookMs;
    this.#delay.start(this.#lookMs, () => this.#look());
  }

  #look(): void {
    const { clock, config, moving } = this.#options;
    const now = clock.monotonic();
    const lateMs = now - (this.#lookAt ?? now);
    this.#lookAt = null;
    const runs = moving();
    if (runs.length === 0 && this.#underWay.size === 0) return;
    this.#watch();
    if (lateMs > MAX_LATE_MS) {
      for (const run of runs) run.heardAt += lateMs;
      for (const effect of this.#underWay.values()) effect.since += lateMs;
      return;
    }
    for (const { eventId, heardAt } of runs) {
      const finding = silent(now - heardAt, config);
      if (finding !== null) this.#saw('silent', finding, { eventId });
    }
    if (config.slow === null) return;
    const { histories } = this.#snapshot.health;
    for (const [effectId, { eventId, name, since }] of this.#underWay) {
      const finding = slow({ name, ms: now - since }, histories, config.slow);
      if (finding !== null) this.#saw('slow', finding, { eventId, effectId });
    }
  }

  // --- what was found

  #saw(type: AnomalyType, finding: Finding | null, { eventId, effectId }: About): void {
    const known = this.#snapshot.health.found[type];
    const isSame =
      known !== undefined &&
      known.overAt === null &&
      (known.effectId === null ? known.eventId === (eventId ?? null) : known.effectId === (effectId ?? null));
    if (finding === null) {
      if (isSame) this.#recovered(type, known);
      return;
    }
    if (isSame) return;
    const { clock, config, recorder, onAnomaly } = this.#options;
    const { cooldownMs } = config;
    // Of two that go on side by side each would be told again and again, in turn.
    if (cooldownMs === 0 && known?.overAt === null) return;
    // What is to last for a while does so on the clock as it is now.
    if (known !== undefined) recorder().lookAtClock();
    if (isCooling(this.#snapshot.health.found[type], { nowMs: clock.now(), cooldownMs })) return;
    const action = config.onAnomaly[type];
    recorder().note('health_anomaly', {
      anomaly_type: type,
      description: finding.description,
      details: finding.details,
      action,
      cooldown_ms: cooldownMs,
      ...(eventId === undefined ? {} : { event_id: eventId }),
      ...(effectId === undefined ? {} : { effect_id: effectId }),
    });
    onAnomaly({ type, action, ...finding });
  }

  #overIf(type: AnomalyType, isOver: (found: FoundAnomaly) => boolean): void {
    const found = this.#snapshot.health.found[type];
    if (found !== undefined && found.overAt === null && isOver(found)) this.#recovered(type, found);
  }

  #recovered(type: AnomalyType, { eventId, effectId }: FoundAnomaly): void {
    this.#options.recorder().note('health_recovered', {
      anomaly_type: type,
      ...(eventId === null ? {} : { event_id: eventId }),
      ...(effectId === null ? {} : { effect_id: effectId }),
    });
  }

  /** What was found of a run or an effect that is over, in whatever way, is over too. */
  settle(): void {
    for (const found of openAnomalies(this.#snapshot.health)) {
      if (isGone(this.#snapshot, found)) this.#recovered(found.type, found);
    }
  }

  /** What was found, and not acted on before its host was gone. */
  get unanswered(): readonly Anomaly[] {
    const isLeft = (type: AnomalyType, action: string): action is OnAnomaly =>
      action === 'escalate'
        ? openCause(this.#snapshot, healthKey(type)) === undefined
        : action === 'pause' || action === 'stop';
    return openAnomalies(this.#snapshot.health).flatMap(({ type, action, description }): Anomaly[] =>
      isLeft(type, action) ? [{ type, action, description, details: {} }] : [],
    );
  }

  /** An operator sets it going: what was found is seen, and the detectors begin anew instead of finding it again. */
  beginAnew(actor: { readonly name: string; readonly reason: string }): void {
    const { found } = this.#snapshot.health;
    const isLeft = ({ overAt, coolsUntilMs }: FoundAnomaly): boolean =>
      overAt === null || coolsUntilMs !== null;
    if (Object.values(found).some(isLeft)) this.#clear(null, actor);
  }

  /** @throws `health.nothing-found` */
  clear(type: AnomalyType | null, actor: { readonly name: string; readonly reason: string }): void {
    const open = openAnomalies(this.#snapshot.health);
    if (!open.some((found) => type === null || found.type === type)) {
      const { process } = this.#options;
      const those = open.map((found) => found.type).join(', ');
      throw new AppError(
        'health.nothing-found',
        `Nothing${type === null ? '' : ` of the type ${type}`} is found of ${process} that could be cleared. ${those === '' ? 'Its detectors see nothing unusual.' : `There is ${those}.`}`,
        { process, type },
      );
    }
    this.#clear(type, actor);
  }

  #clear(type: AnomalyType | null, actor: { readonly name: string; readonly reason: string }): void {
    this.#options.recorder().note('health_cleared', {
      ...(type === null ? {} : { anomaly_type: type }),
      actor: actor.name,
      reason: actor.reason,
    });
  }
}

function isGone(
  snapshot: Readonly<ProcessSnapshot>,
  { eventId, effectId }: Pick<FoundAnomaly, 'eventId' | 'effectId'>,
): boolean {
  if (eventId === null) return false;
  const open = openOf(snapshot, eventId);
  if (open === undefined) return true;
  // Of an effect in doubt nobody knows whether it still goes on.
  return effectId !== null && recordedOf(open, effectId)?.end?.kind === 'done';
}
