// Caps on what all processes of a workspace use together. What each of them has used is in its own journal; here are only sums
// of that, kept as entries are written, so that asking costs the same for one process as for a thousand.

import { CAP_NAMES, type CapName } from '../model/cap-names.ts';
import { overCap, type CapConfig, type CapConfigs, type CapLimits } from '../model/caps.ts';
import type { Asked } from '../model/budget.ts';
import type { Overrun } from '../model/budget-state.ts';
import { kept, METERS, minus, plus, type Amounts, type Meter } from '../model/meters.ts';
import type { Clock } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import { cronSchedule, type Schedule } from '../triggers/cron-schedule.ts';
import type { Recorder } from '../runtime/recorder.ts';

/** What the other workspaces of this user have used, and what this one has. */
export interface CapLedger {
  /** What others have spent and reserved on days that are not over. */
  others(nowMs: number): Amounts;
  /** Notes what this workspace will use, if `isFine` says that it fits beside what the others use; whether it did. */
  take(own: Amounts, until: number, nowMs: number, isFine: (others: Amounts) => boolean): boolean;
}

/** What a process may ask of the caps. */
export interface CapMember {
  /** Its journal has another entry. */
  readonly touched: () => void;
  /** Begins another day of each cap in its journal where the last one is over, and notes other limits. */
  readonly turn: () => void;
  /** The cap that so much more would pass; null where it fits, and then it is taken. */
  readonly over: (more: Asked) => Overrun | null;
  readonly hasRoom: (cap: CapName, asked: Amounts) => boolean;
  /** Something of what was reserved is free again, for whoever waits for it. */
  readonly released: () => void;
}

/** By their place among {@link METERS}. */
type Sum = number[];
type ByCap<T> = Record<CapName, T>;

/** What of a process is in the sums, and what was looked at of its journal, each as it was found there. */
interface Member {
  readonly recorder: () => Recorder;
  isTouched: boolean;
  reserved: Amounts;
  spent: ByCap<Amounts>;
  until: ByCap<{ readonly text: string; readonly ms: number }>;
  /** The limits that its journal has, and those of the cap that they are. */
  noted: ByCap<{ readonly limits: CapLimits; readonly of: CapConfig } | null>;
}

const NOTHING: Amounts = {};
const NEVER = { text: '', ms: 0 };

export interface CapBookOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly configs: CapConfigs;
  /** Null where no other workspace counts. */
  readonly ledger: CapLedger | null;
  /** There may be room again for what waits anywhere. */
  readonly onRoom: () => void;
}

export class CapBook {
  readonly #options: CapBookOptions;
  #configs: CapConfigs;
  #days: Partial<Record<CapName, Schedule>> = {};
  readonly #members = new Map<string, Member>();
  /** Whose entries are not in the sums yet. */
  readonly #touched: Member[] = [];
  #reserved: Sum = METERS.map(() => 0);
  #spent: ByCap<Sum> = { workspace: METERS.map(() => 0), all: METERS.map(() => 0) };
  /** The sums are those of this time: until the first day among them is over. */
  #from = 0;
  #until = 0;

  constructor(options: CapBookOptions) {
    this.#options = options;
    this.#configs = options.configs;
    this.#schedule();
  }

  get configs(): CapConfigs {
    return this.#configs;
  }

  /** Other caps from now on; each process notes them in its journal when it is next told to turn. */
  configure(configs: CapConfigs): void {
    this.#configs = configs;
    this.#schedule();
  }

  #schedule(): void {
    this.#days = {};
    for (const cap of CAP_NAMES) {
      const config = this.#configs[cap];
      if (config === undefined) continue;
      const { resetHour, resetZone } = config;
      this.#days[cap] = cronSchedule({ cronExpression: `0 ${resetHour} * * *`, cronTimezone: resetZone });
    }
  }

  get #isNeeded(): boolean {
    return this.#configs.workspace !== undefined || this.#configs.all !== undefined;
  }

  /** One that takes the place of another of its name counts with what that one has used until it is touched itself. */
  join(name: string, recorder: () => Recorder): CapMember {
    const before = this.#left(name);
    const member: Member = {
      reserved: NOTHING,
      spent: { workspace: NOTHING, all: NOTHING },
      until: { workspace: NEVER, all: NEVER },
      noted: { workspace: null, all: null },
      ...before,
      recorder,
      isTouched: false,
    };
    this.#members.set(name, member);
    return this.#membership(member, before === null);
  }

  /** It counts no more. */
  leave(name: string): void {
    const member = this.#left(name);
    if (member === null) return;
    moved(this.#reserved, member.reserved, NOTHING);
    for (const cap of CAP_NAMES) moved(this.#spent[cap], member.spent[cap], NOTHING);
    if (this.#isNeeded) this.#options.onRoom();
  }

  /** Taken out as it was counted last; null where there is none of this name. */
  #left(name: string): Member | null {
    const member = this.#members.get(name);
    if (member === undefined) return null;
    this.#members.delete(name);
    const at = this.#touched.indexOf(member);
    if (at !== -1) this.#touched.splice(at, 1);
    // Whatever is still heard of it is not looked at.
    member.isTouched = true;
    return member;
  }

  #membership(member: Member, isNew: boolean): CapMember {
    const touched = (): void => {
      if (member.isTouched) return;
      member.isTouched = true;
      this.#touched.push(member);
    };
    if (isNew) touched();
    return {
      touched,
      turn: () => this.#turn(member),
      over: (more) => (this.#isNeeded ? this.#over(member, more) : null),
      hasRoom: (cap, asked) => {
        this.#turn(member);
        return this.#overOne(cap, { asked, eventId: null }, false) === null;
      },
      released: () => {
        if (this.#isNeeded) this.#options.onRoom();
      },
    };
  }

  /** How much of a cap is used, by all of its processes; null where there is no such cap. */
  standing(
    cap: CapName,
  ): { readonly config: CapConfig; readonly spent: Amounts; readonly reserved: Amounts } | null {
    const config = this.#configs[cap];
    if (config === undefined) return null;
    this.#count();
    const others = cap === 'all' ? this.#others() : {};
    return { config, spent: plus(amountsIn(this.#spent[cap]), others), reserved: amountsIn(this.#reserved) };
  }

  // --- days

  #turn(member: Member): void {
    const now = this.#options.clock.now();
    const recorder = member.recorder();
    for (const cap of CAP_NAMES) {
      const config = this.#configs[cap];
      const record = recorder.snapshot.caps[cap];
      if (config === undefined) {
        if (record !== undefined) recorder.note('cap_applied', { cap, limits: null });
        continue;
      }
      const isOver = record === undefined || now >= untilOf(member, cap, record.until);
      if (!isOver && isNoted(member, cap, record.limits, config)) continue;
      const next = isOver ? this.#days[cap]!.next(now) : null;
      const day = isOver
        ? { id: timestampOf(now), until: timestampOf(next ?? now) }
        : { id: record.id, until: record.until };
      recorder.note('cap_applied', { cap, limits: { ...config.limits }, ...day });
    }
  }

  // --- what fits

  #over(member: Member, more: Asked): Overrun | null {
    this.#turn(member);
    // What all workspaces share is taken last: by then nothing else stands in the way.
    return this.#overOne('workspace', more, true) ?? this.#overOne('all', more, true);
  }

  #overOne(cap: CapName, { asked, freed = {}, eventId }: Asked, isTaken: boolean): Overrun | null {
    const config = this.#configs[cap];
    if (config === undefined) return null;
    this.#count();
    const spent = amountsIn(this.#spent[cap]);
    const reserved = amountsIn(this.#reserved);
    const over = (others: Amounts): Overrun | null =>
      overCap(cap, config.limits, {
        spent: others === NOTHING ? spent : plus(spent, others),
        reserved,
        asked,
        freed,
        eventId,
      });
    const { ledger, clock } = this.#options;
    if (cap === 'workspace' || ledger === null) return over(NOTHING);
    const now = clock.now();
    if (!isTaken) return over(ledger.others(now));
    let found: Overrun | null = null;
    const own = plus(minus(plus(spent, reserved), freed), asked);
    ledger.take(own, this.#days.all!.next(now) ?? now, now, (others) => {
      found = over(others);
      return found === null;
    });
    return found;
  }

  #others(): Amounts {
    const { ledger, clock } = this.#options;
    return ledger?.others(clock.now()) ?? {};
  }

  // --- sums

  #count(): void {
    const now = this.#options.clock.now();
    if (now >= this.#until || now < this.#from) this.#countAnew(now);
    else for (const member of this.#touched) this.#take(member, now);
    for (const member of this.#touched) member.isTouched = false;
    this.#touched.length = 0;
  }

  /** Once a day: of those that are over nothing counts any more. */
  #countAnew(now: number): void {
    this.#from = now;
    this.#until = Number.POSITIVE_INFINITY;
    for (const member of this.#members.values()) this.#take(member, now);
  }

  #take(member: Member, now: number): void {
    const { budget, caps } = member.recorder().snapshot;
    moved(this.#reserved, member.reserved, budget.reserved);
    member.reserved = budget.reserved;
    for (const cap of CAP_NAMES) {
      const record = caps[cap];
      const until = record === undefined ? 0 : untilOf(member, cap, record.until);
      const spent = record !== undefined && now < until ? record.spent : NOTHING;
      if (spent !== NOTHING) this.#until = Math.min(this.#until, until);
      moved(this.#spent[cap], member.spent[cap], spent);
      member.spent[cap] = spent;
    }
  }
}

/** The sum with this in place of that. */
function moved(sum: Sum, before: Amounts, now: Amounts): void {
  if (before === now) return;
  for (let at = 0; at < METERS.length; at += 1) {
    const meter = METERS[at]!;
    const more = (now[meter] ?? 0) - (before[meter] ?? 0);
    if (more !== 0) sum[at] = kept(sum[at]! + more);
  }
}

function amountsIn(sum: Sum): Amounts {
  const amounts: Partial<Record<Meter, number>> = {};
  for (let at = 0; at < METERS.length; at += 1) if (sum[at]! > 0) amounts[METERS[at]!] = sum[at]!;
  return amounts;
}

/** In epoch milliseconds; read once for each day. */
function untilOf(member: Member, cap: CapName, text: string): number {
  if (member.until[cap].text !== text) member.until[cap] = { text, ms: Date.parse(text) };
  return member.until[cap].ms;
}

/** Whether the limits that its journal has are those of the cap; looked at once for each change of either. */
function isNoted(member: Member, cap: CapName, limits: CapLimits, of: CapConfig): boolean {
  const noted = member.noted[cap];
  if (noted?.limits === limits && noted.of === of) return true;
  if (!sameLimits(limits, of.limits)) return false;
  member.noted[cap] = { limits, of };
  return true;
}

function sameLimits(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
