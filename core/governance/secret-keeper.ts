// The secrets of one process, kept: resolved when it starts, given to its code at each call, rotated and revoked at once.
// The journal says what was done to which, and by whom; the values are in memory only.

import { AppError, asAppError } from '../model/errors.ts';
import { sameJson } from '../model/json.ts';
import { isActive, isLifecycleState } from '../model/lifecycle.ts';
import type { Clock } from '../model/ports.ts';
import {
  checkValue,
  MAX_SECRET_TTL_MS,
  secretOf,
  type SecretRefusal,
  type SecretsConfig,
  type SecretSource,
} from '../model/secrets.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { timestampOf } from '../model/time.ts';
import type { SecretAnswer } from '../model/worker-protocol.ts';
import type { Recorder } from '../runtime/recorder.ts';
import { describeSource, noKeychain, readSource, type SourcePlaces } from './secret-sources.ts';
import type { SecretVault } from './secret-vault.ts';

export interface SecretKeeperOptions {
  readonly process: string;
  readonly config: SecretsConfig;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  readonly vault: SecretVault;
  readonly places: SourcePlaces;
  readonly onChange: () => void;
}

export interface RotationOrder {
  readonly name: string;
  readonly value: string;
  /** From now on; null for ever, undefined for as long as the manifest says. */
  readonly ttlMs: number | null | undefined;
}

interface By {
  readonly name: string;
  readonly reason: string;
}

/** How one stands now. `lost`: it was rotated in a host that is gone, and what is given is what its source had at the start. */
export interface SecretStanding {
  readonly name: string;
  readonly source: SecretSource['kind'];
  readonly from: string;
  readonly status: 'active' | 'expired' | 'revoked' | 'missing';
  readonly expiresAt: string | null;
  readonly rotatedAt: string | null;
  readonly lastReadAt: string | null;
  readonly isRotationLost: boolean;
}

/** Readings that are on record, so that each invocation's are there once. */
const MAX_REMEMBERED = 10_000;

export class SecretKeeper {
  readonly #options: SecretKeeperOptions;
  readonly #names: readonly string[];
  readonly #values = new Map<string, string>();
  /** Rotated in this host, so that their value is the present one. */
  readonly #rotatedHere = new Set<string>();
  readonly #readings = new Set<string>();

  constructor(options: SecretKeeperOptions) {
    this.#options = options;
    this.#names = namesOf(options.config, options.places);
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  /** What is in memory alone goes over from the one before, where its source is still the same. */
  goOnFrom(before: SecretKeeper): void {
    const sources = before.#options.config.sources;
    for (const [name, source] of Object.entries(this.#options.config.sources)) {
      const value = before.#values.get(name);
      if (value === undefined || !sameJson({ ...sources[name] }, { ...source })) continue;
      this.#values.set(name, value);
      if (before.#rotatedHere.has(name)) this.#rotatedHere.add(name);
    }
  }

  /**
   * Has every value at hand that is not. Where `isAnew`, a person starts the process, and what was revoked and has expired
   * is given again; otherwise that stays as the journal has it [P4].
   * @throws `secret.*`, `keychain.*`, with nothing changed
   */
  resolve(isAnew: boolean): void {
    const { process, vault, recorder } = this.#options;
    const now = this.#options.clock.now();
    const states = new Map(this.#names.map((name) => [name, secretOf(this.#snapshot, name)]));
    const isFresh = (name: string): boolean => {
      const state = states.get(name);
      if (state === undefined) return true;
      if (state.revoked !== null && state.revoked.actor === 'host') return true;
      return isAnew && (!this.#values.has(name) || state.revoked !== null || isOver(state.expiresAt, now));
    };
    const fresh = this.#names.filter(isFresh);
    const stays = (name: string): boolean => !fresh.includes(name) && this.#values.has(name);
    const isClosed = (name: string): boolean => {
      const state = states.get(name);
      return (
        !fresh.includes(name) &&
        state !== undefined &&
        (state.revoked !== null || isOver(state.expiresAt, now))
      );
    };
    const found = this.#found(this.#names.filter((name) => !stays(name) && !isClosed(name)));
    for (const [name, value] of found) {
      vault.know(process, name, value);
      this.#values.set(name, value);
      this.#rotatedHere.delete(name);
    }
    const isKnown = this.#names.length === Object.keys(this.#snapshot.secrets).length;
    if (fresh.length === 0 && isKnown) return;
    const resolved = Object.fromEntries(fresh.map((name) => [name, this.#endOf(name, undefined)]));
    recorder().note('secret_resolved', { names: [...this.#names], resolved });
  }

  /** The same; why it could not be done, or null. */
  whyUnresolved(): AppError | null {
    try {
      this.resolve(false);
      return null;
    } catch (error) {
      return asAppError(error);
    }
  }

  /** All that are wrong at once are told at once. */
  #found(names: readonly string[]): ReadonlyMap<string, string> {
    const { process, config, places } = this.#options;
    const found = new Map<string, string>();
    const problems: AppError[] = [];
    for (const name of names) {
      try {
        const value = readSource(name, config.sources[name]!, places);
        this.#refuseShared(name, value, [...found, ...this.#values]);
        found.set(name, value);
      } catch (error) {
        problems.push(asAppError(error));
      }
    }
    const [first] = problems;
    if (first === undefined) return found;
    const text = problems.map(({ message }) => message).join(' ');
    throw new AppError(first.code, `${process} can't be started: ${text}`, { process, names: [...names] });
  }

  /** What stands for a value is its name, and there would be two. */
  #refuseShared(name: string, value: string, known: readonly (readonly [string, string])[]): void {
    const { sources } = this.#options.config;
    const other = known.find(([one, same]) => one !== name && same === value)?.[0];
    // Of one variable nobody means two, and keys are looked for under every name that they may have.
    if (other === undefined || areOne(sources[name], sources[other])) return;
    throw new AppError(
      'secret.same-value',
      `${name} and ${other} have the same value. Use one name for it.`,
      {
        name,
        other,
      },
    );
  }

  /** For agent code. Who read what is on record once for each invocation. */
  read(name: string, eventId: string): SecretAnswer {
    // Its time goes by the clock as it is now.
    this.#options.recorder().lookAtClock();
    const refusal = this.#refusalOf(name);
    const reading = `${eventId} ${name} ${refusal ?? ''}`;
    if (refusal !== 'unknown' && !this.#readings.has(reading)) {
      if (this.#readings.size >= MAX_REMEMBERED) this.#readings.delete(this.#readings.values().next().value!);
      this.#readings.add(reading);
      const refused = refusal === null ? {} : { refused: refusal };
      this.#options.recorder().note('secret_read', { name, event_id: eventId, ...refused });
    }
    if (refusal === null) return { ok: true, value: this.#values.get(name)! };
    return { ok: false, refusal, message: this.#whyRefused(name, refusal) };
  }

  #refusalOf(name: string): SecretRefusal | null {
    if (!this.#names.includes(name)) return 'unknown';
    const state = secretOf(this.#snapshot, name);
    if (state !== undefined && state.revoked !== null) return 'revoked';
    if (state !== undefined && isOver(state.expiresAt, this.#options.clock.now())) return 'expired';
    return this.#values.has(name) ? null : 'missing';
  }

  #whyRefused(name: string, refusal: SecretRefusal): string {
    const { process } = this.#options;
    const state = secretOf(this.#snapshot, name);
    switch (refusal) {
      case 'unknown': {
        const those =
          this.#names.length === 0 ? 'Its manifest names none.' : `There are: ${this.#names.join(', ')}.`;
        return `${process} has no secret ${JSON.stringify(name)}. ${those}`;
      }
      case 'expired':
        return `The secret ${name} of ${process} expired at ${state?.expiresAt}. Rotate it.`;
      case 'revoked':
        return `The secret ${name} of ${process} was revoked by ${state?.revoked?.actor}. Rotate it, or stop and start the process.`;
      case 'missing':
        return `The secret ${name} of ${process} has no value. Rotate it, or stop and start the process.`;
    }
  }

  /** A value was told: before anything is said of it anywhere, it is known for one. */
  told(name: string, value: string): void {
    const { vault, process } = this.#options;
    if (this.#names.includes(name)) vault.know(`${process}, told`, name, value);
  }

  /**
   * From its durable record on every call gets the new value, and a new time begins.
   * @throws `secret.*`, `keychain.*`
   */
  async rotate(order: RotationOrder, by: By): Promise<void> {
    this.told(order.name, order.value);
    try {
      await this.#rotate(order, by);
    } finally {
      this.#options.vault.retire(`${this.#options.process}, told`);
    }
  }

  async #rotate({ name, value, ttlMs }: RotationOrder, by: By): Promise<void> {
    const { process, vault, recorder, onChange, config, places } = this.#options;
    this.#refuseUnknown(name);
    checkValue(`The new value of ${name}`, value);
    checkTtl(name, ttlMs);
    this.#refuseShared(name, value, [...this.#values]);
    const source = config.sources[name]!;
    const { lifecycle } = this.#snapshot;
    const isOn = isLifecycleState(lifecycle) && isActive(lifecycle);
    if (source.kind === 'keychain' && places.store === null) throw noKeychain(name);
    if (!isOn && source.kind !== 'keychain') throw notOn(process, name, lifecycle, describeSource(source));
    if (source.kind === 'keychain') places.store?.write(source.entry, value);
    const expires_at = this.#endOf(name, ttlMs);
    await recorder().record(
      'secret_rotated',
      { name, expires_at, actor: by.name, reason: by.reason },
      { synced: true },
    );
    if (isOn) {
      this.#letGo(name);
      vault.know(process, name, value);
      this.#values.set(name, value);
      this.#rotatedHere.add(name);
    }
    onChange();
  }

  /** With null all of them. @throws `secret.unknown` */
  async revoke(name: string | null, by: By): Promise<void> {
    const { recorder, onChange } = this.#options;
    if (name !== null) this.#refuseUnknown(name);
    await recorder().record(
      'secret_revoked',
      { name: name ?? '*', actor: by.name, reason: by.reason },
      { synced: true },
    );
    for (const one of name === null ? this.#names : [name]) this.#letGo(one);
    onChange();
  }

  /** A worker may still say what it was given, so it stays known for what it was. */
  #letGo(name: string): void {
    const { vault, process } = this.#options;
    const value = this.#values.get(name);
    this.#values.delete(name);
    if (value !== undefined) vault.retire(process, value);
  }

  /** The process was stopped, and its worker is gone. */
  stopped(): void {
    const { config, recorder } = this.#options;
    if (!config.revokeOnStop || this.#names.length === 0) return;
    recorder().note('secret_revoked', { name: '*', actor: 'host', reason: 'it was stopped' });
    this.drop();
  }

  /** Nothing of them stays in memory. */
  drop(): void {
    if (!this.#options.config.revokeOnStop) return;
    this.#values.clear();
    this.#rotatedHere.clear();
    this.#options.vault.retire(this.#options.process);
  }

  standings(): readonly SecretStanding[] {
    return this.#names.map((name) => {
      const source = this.#options.config.sources[name]!;
      const state = secretOf(this.#snapshot, name);
      const refusal = this.#refusalOf(name);
      const rotatedAt = state?.rotatedAt ?? null;
      return {
        name,
        source: source.kind,
        from: describeSource(source),
        status: refusal === null ? 'active' : refusal === 'unknown' ? 'missing' : refusal,
        expiresAt: state?.expiresAt ?? null,
        rotatedAt,
        lastReadAt: state?.lastReadAt ?? null,
        isRotationLost:
          refusal === null &&
          rotatedAt !== null &&
          source.kind !== 'keychain' &&
          !this.#rotatedHere.has(name),
      };
    });
  }

  #refuseUnknown(name: string): void {
    if (this.#names.includes(name)) return;
    const message = this.#whyRefused(name, 'unknown');
    throw new AppError('secret.unknown', message, { process: this.#options.process });
  }

  /** Of what begins now. */
  #endOf(name: string, ttlMs: number | null | undefined): string | null {
    const { config, clock } = this.#options;
    const ms = ttlMs === undefined ? (config.ttlsMs[name] ?? null) : ttlMs;
    return ms === null ? null : timestampOf(clock.now() + ms);
  }
}

/** Those that can be asked for: not what a host may have, and this one has not. */
function namesOf({ sources }: SecretsConfig, { environment }: SourcePlaces): readonly string[] {
  return Object.entries(sources).flatMap(([name, source]) =>
    source.kind === 'variable' && source.isOptional === true && !environment[source.variable] ? [] : [name],
  );
}

function areOne(a: SecretSource | undefined, b: SecretSource | undefined): boolean {
  const [first, second] = [a, b].map((source) => (source?.kind === 'variable' ? source : null));
  if (first?.isOptional === true || second?.isOptional === true) return true;
  return first != null && first.variable === second?.variable;
}

function isOver(expiresAt: string | null, nowMs: number): boolean {
  return expiresAt !== null && nowMs >= Date.parse(expiresAt);
}

function checkTtl(name: string, ttlMs: number | null | undefined): void {
  if (ttlMs === undefined || ttlMs === null || (ttlMs > 0 && ttlMs <= MAX_SECRET_TTL_MS)) return;
  throw new AppError(
    'secret.bad-ttl',
    `${name} can be given more than nothing and at most a year, not ${ttlMs} ms.`,
  );
}

function notOn(process: string, name: string, state: string, from: string): AppError {
  return new AppError(
    'secret.not-on',
    `${process} is ${state}, and has its secrets from when it is started. Put the new value of ${name} where it comes from (${from}), and start it.`,
    { process, name },
  );
}
