// The mission of one process, kept: judged after every so many runs, in the background and within the budget, failed when
// its time or its runs are over, completed when it is achieved. Whatever is due next is worked out from the journal, so a
// crash loses none of it [P4]; a judge that gives no verdict has given none, and is asked again.

import { AppError } from '../model/errors.ts';
import type { Cause } from '../model/escalation.ts';
import { openCause } from '../model/escalation-state.ts';
import type { JsonObject } from '../model/json.ts';
import type { Judge, Verdict } from '../model/judge.ts';
import { amountsOf, type Amounts } from '../model/meters.ts';
import type { MissionOutcome } from '../model/mission-state.ts';
import { missionRoom, missionStep, type FailureKind, type MissionStep } from '../model/mission-step.ts';
import { JUDGE_NAME, ordersOf, type MissionConfig, type MissionOrder } from '../model/mission.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { host, type Actor } from '../runtime/lifecycle-driver.ts';
import type { Recorder } from '../runtime/recorder.ts';
import { askJudge, judgeView, type Asking, type NoVerdict } from './ask-judge.ts';
import type { BudgetKeeper } from './budget-keeper.ts';
import { bookingOfJudge, usedBy } from './judge-booking.ts';

export interface MissionKeeperOptions {
  readonly process: string;
  readonly config: MissionConfig | null;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  readonly judge: Judge;
  readonly budget: Pick<BudgetKeeper, 'config' | 'tooMuchForDay' | 'counted' | 'released'>;
  readonly escalate: (cause: Cause) => void;
  /** Whether anything may be done at all, and whether the process goes about its work. */
  readonly mayMove: () => boolean;
  readonly mayJudge: () => boolean;
  /** It is over: this is to be done to the process now. */
  readonly onOver: (what: 'stop' | 'suspend', actor: Actor) => void;
  /** More runs may begin than before. */
  readonly onRoom: () => void;
  readonly onChange: () => void;
}

/** What it is asked about. */
interface AskedOf {
  readonly run: number;
  readonly booked: Amounts;
}

const MAX_REASON = 1_000;
/** So many steps follow from one look at the most; a further one comes with the next. */
const MAX_STEPS = 8;
/** Timers are no longer than this. */
const MAX_TIMER_MS = 24 * 3_600_000;

export class MissionKeeper {
  readonly #options: MissionKeeperOptions;
  #asking: (Asking & AskedOf) | null = null;
  #isLooking = false;
  #hasLooked = false;
  #cancelTimer: () => void = () => {};

  constructor(options: MissionKeeperOptions) {
    this.#options = options;
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  /** As the journal has it: with a secret in its words it would be another mission at every look. */
  get #asRecorded(): MissionConfig | null {
    const { config, recorder } = this.#options;
    return config === null ? null : recorder().scrubbed(config);
  }

  /** How many more runs may begin. */
  get room(): number {
    return missionRoom(this.#asRecorded, this.#snapshot);
  }

  /** Does what is due. Called whenever that could have changed; what follows from it calls it again, and is heard here. */
  look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#cancelTimer();
    try {
      if (this.#snapshot.mission !== null) this.#options.recorder().lookAtClock();
      if (!this.#hasLooked && this.#options.mayMove()) this.#tellWhatIsLeft();
      for (let steps = 0; steps < MAX_STEPS && this.#options.mayMove(); steps += 1) {
        const step = this.#nextStep();
        if (step.kind === 'rest') {
          this.#restFor(step.forMs);
          return;
        }
        this.#take(step);
        // Whoever does it may have to wait for its turn.
        if (step.kind === 'carry-out') return;
      }
    } finally {
      this.#isLooking = false;
    }
  }

  #nextStep(): MissionStep {
    const { clock, budget, mayJudge } = this.#options;
    const config = this.#asRecorded;
    return missionStep(config, this.#snapshot, {
      nowMs: clock.now(),
      isJudging: this.#asking !== null,
      mayJudge: mayJudge(),
      tooMuch: () => budget.tooMuchForDay(bookingOfJudge(config!, budget.config).asked, config!.evalModel),
    });
  }

  #restFor(forMs: number | null): void {
    const { clock } = this.#options;
    if (forMs !== null) {
      this.#cancelTimer = clock.after(Math.min(MAX_TIMER_MS, Math.max(1, forMs)), () => this.look());
    }
  }

  #take(step: Exclude<MissionStep, { kind: 'rest' }>): void {
    const { config, onOver } = this.#options;
    switch (step.kind) {
      case 'start':
        this.#note('mission_started', {
          objective: config!.objective,
          success_criteria: config!.successCriteria,
          actor: 'host',
        });
        return;
      case 'withdraw':
        this.#note('mission_changed', {
          to: 'withdrawn',
          actor: 'host',
          reason: 'its manifest has no mission any more',
        });
        return;
      case 'complete':
        this.#complete(host('the judge says that it is achieved'));
        return;
      case 'fail':
        this.#fail(step.why, host(failureText(step.why, config!)));
        return;
      case 'carry-out': {
        const { status, objective, actor, reason } = this.#snapshot.mission!;
        onOver(step.what, { name: actor, reason: `mission ${status}: ${reason || objective}` });
        return;
      }
      case 'lost':
        this.#unknown(step.run, { reason: 'its host ended while the judge was asked' });
        return;
      case 'unaffordable':
        this.#unknown(step.run, {
          reason: `the judge waits for its budget: ${step.why}`,
          waits_for_budget: true,
        });
        return;
      case 'judge':
        void this.#ask(step.run);
        return;
    }
  }

  // --- the judge

  async #ask(run: number): Promise<void> {
    const { process, config, recorder, clock, judge, budget, onChange } = this.#options;
    const { booked, facts } = bookingOfJudge(config!, budget.config);
    const asking = { run, booked, isBegun: false, over: new AbortController() };
    this.#asking = asking;
    const { invocationCount } = this.#snapshot;
    try {
      const announced = recorder().record('mission_judging', {
        run,
        invocation: invocationCount,
        booked,
        ...facts,
      });
      budget.counted(JUDGE_NAME, booked);
      onChange();
      await announced;
    } catch {
      // The recorder has told the process, and nothing is recorded behind it.
      if (this.#asking === asking) this.#asking = null;
      return;
    }
    if (this.#asking !== asking) return;
    const { mission } = this.#snapshot;
    // A rewind may have gone to where nobody was asked.
    if (mission?.judging?.run !== run) {
      this.#asking = null;
      this.look();
      return;
    }
    const view = judgeView(process, { ...this.#snapshot, mission });
    const answer = await askJudge(judge, view, { clock, timeoutMs: config!.judgeTimeoutMs, asking });
    // Called off meanwhile, and on record as that.
    if (this.#asking !== asking) return;
    this.#asking = null;
    if (this.#snapshot.mission?.judging?.run === run) {
      const told = usedBy(config!, budget.config, asking);
      this.#heard(answer, { run, invocation: invocationCount, ...told });
      const { used } = told;
      // It may have been more than was booked, which is near a limit, or less, which makes room.
      if (used !== undefined) {
        budget.counted(JUDGE_NAME, amountsOf(used));
        budget.released();
      }
    }
    this.look();
  }

  #heard(answer: Verdict | NoVerdict, about: JsonObject & { readonly run: number }): void {
    const { config } = this.#options;
    if ('nonsense' in answer) {
      this.#unknown(about.run, { reason: answer.nonsense, ...about });
      return;
    }
    const { achieved, confidence, reasoning, progress } = answer;
    const outcome: MissionOutcome = !achieved
      ? 'not_achieved'
      : confidence >= config!.confidenceThreshold
        ? 'achieved'
        : 'unsure';
    const before = this.#snapshot.mission!.outcome;
    this.#note('mission_evaluated', {
      ...about,
      achieved,
      confidence,
      reasoning,
      ...(progress === null ? {} : { progress }),
      outcome,
    });
    if (outcome === 'unsure' && before !== 'unsure') this.#tellUnsure(confidence, reasoning);
    if (outcome === 'achieved' && before !== 'achieved' && !config!.autoComplete) this.#tellAchieved();
  }

  #unknown(run: number, { reason, ...more }: JsonObject & { readonly reason: string }): void {
    const { invocationCount } = this.#snapshot;
    this.#note('mission_evaluated', {
      run,
      invocation: invocationCount,
      unknown: reason.slice(0, MAX_REASON) || 'the judge gave none, and did not say why',
      ...more,
    });
  }

  /** The judge is not asked any more; about what was to be judged it is asked again later. */
  callOff(why: string): void {
    const { config, budget } = this.#options;
    this.#cancelTimer();
    const asking = this.#asking;
    if (asking === null) return;
    this.#asking = null;
    asking.over.abort();
    if (this.#snapshot.mission?.judging?.run !== asking.run) return;
    const used = config === null ? {} : usedBy(config, budget.config, asking);
    this.#unknown(asking.run, { reason: why, called_off: true, ...used });
  }

  /** Resolves when no judge runs any more. */
  idle(): Promise<void> {
    return this.#options.judge.idle();
  }

  // --- its end

  #complete({ name, reason }: Actor): void {
    const { config, onRoom } = this.#options;
    const next = config?.onComplete ?? 'continue';
    this.#note('mission_completed', { next, actor: name, reason });
    if (next === 'continue') onRoom();
  }

  /** It is not to go on as if nothing had happened, and stopping it would lose what it waits for: it is held. */
  #fail(why: FailureKind | 'operator', { name, reason }: Actor): void {
    this.#note('mission_failed', { why, next: 'suspend', actor: name, reason });
    this.#tellFailed(reason, { why });
  }

  // --- what operators do

  /**
   * Resolves when it is durable.
   * @throws `mission.none`, `mission.not-now`
   */
  async change(order: MissionOrder, actor: Actor): Promise<void> {
    const { process, recorder, budget, onRoom } = this.#options;
    const { mission } = this.#snapshot;
    if (mission === null) {
      throw new AppError(
        'mission.none',
        `${process} has no mission${this.#options.config === null ? ': its manifest sets none' : ' yet: it starts with the process'}.`,
        { process },
      );
    }
    const orders = ordersOf(mission.status);
    if (!orders.includes(order)) {
      throw new AppError(
        'mission.not-now',
        `The mission of ${process} is ${mission.status}, so there is nothing to ${order}. Now it can be told to: ${orders.join(', ')}.`,
        { process, status: mission.status },
      );
    }
    this.callOff(`an operator said ${order} while the judge was asked`);
    if (order === 'complete') this.#complete(actor);
    else if (order === 'fail') this.#fail('operator', actor);
    else {
      const to = order === 'pause' ? 'paused' : 'active';
      this.#note('mission_changed', { to, actor: actor.name, reason: actor.reason });
    }
    budget.released();
    await recorder().settled();
    onRoom();
    this.look();
  }

  // --- telling

  /** A host that was gone between what happened and telling of it has told nobody. */
  #tellWhatIsLeft(): void {
    this.#hasLooked = true;
    const { mission } = this.#snapshot;
    if (mission === null) return;
    const isUntold = (key: string): boolean => openCause(this.#snapshot, key) === undefined;
    const { status, outcome, reason, history } = mission;
    if (status === 'failed' && isUntold('mission/failed')) this.#tellFailed(reason, {});
    if (status !== 'active' || this.#options.config === null) return;
    const last = history.at(-1);
    if (outcome === 'unsure' && last !== undefined && isUntold('mission/low-confidence')) {
      this.#tellUnsure(last.confidence, last.reasoning);
    }
    const isTheirs = outcome === 'achieved' && !this.#options.config.autoComplete;
    if (isTheirs && isUntold('mission/achieved')) this.#tellAchieved();
  }

  #tellFailed(reason: string, detail: JsonObject): void {
    const summary = `${this.#options.process} has failed its mission: ${reason}`;
    this.#tell('mission/failed', summary, { type: 'mission_failed', ...detail });
  }

  #tellUnsure(confidence: number, reasoning: string): void {
    const { process, config } = this.#options;
    this.#tell(
      'mission/low-confidence',
      `${process} may have achieved its mission: the judge says so with a confidence of ${confidence}, and ${config!.confidenceThreshold} is asked for`,
      { type: 'low_confidence', confidence, reasoning },
    );
  }

  #tellAchieved(): void {
    const { process } = this.#options;
    this.#tell(
      'mission/achieved',
      `${process} has achieved its mission, says the judge; its manifest leaves it to you to complete it`,
      { type: 'mission_achieved' },
    );
  }

  #tell(key: string, summary: string, detail: JsonObject): void {
    const { config, escalate, process } = this.#options;
    const target = config?.escalation ?? null;
    escalate({ kind: 'mission', key, summary, detail: { process_id: process, ...detail }, target });
  }

  #note(type: Parameters<Recorder['note']>[0], data: JsonObject): void {
    this.#options.recorder().note(type, data);
    this.#options.onChange();
  }
}

function failureText(why: FailureKind, { timeoutMs, maxInvocations }: MissionConfig): string {
  switch (why) {
    case 'timeout':
      return `it was not achieved within ${timeoutMs / 3_600_000} h`;
    case 'max_invocations':
      return `it was not achieved in ${maxInvocations} invocations`;
  }
}
