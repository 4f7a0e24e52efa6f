import { AppError } from '../model/errors.ts';
import type { SecretRefusal } from '../model/secrets.ts';

export interface DidNotHappenOptions extends ErrorOptions {
  /** Trying again may help, and since nothing happened it is safe. */
  readonly retryable?: boolean;
}

/**
 * Thrown inside an effect by code that knows that nothing happened: refused before it was sent, rejected by the
 * provider. Anything else that an effect throws leaves it in doubt.
 */
export class DidNotHappen extends AppError {
  readonly retryable: boolean;

  constructor(message: string, { retryable = false, ...options }: DidNotHappenOptions = {}) {
    super('effect.did-not-happen', message, {}, options);
    this.name = 'DidNotHappen';
    this.retryable = retryable;
  }
}

/**
 * Thrown inside an effect of a class that is repeated, by code that does not know what became of it, and does know that
 * doing it again by itself helps nobody.
 */
export class NotAgain extends AppError {
  constructor(message: string) {
    super('effect.not-again', message);
    this.name = 'NotAgain';
  }
}

/** Thrown by code that knows that the invocation will fail however often it is tried. */
export class TerminalError extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('agent.terminal', message, {}, options);
    this.name = 'TerminalError';
  }
}

/** What `ctx.effect` throws: the effect did not happen, or, of a class that is repeated by itself, kept failing. */
export class EffectFailed extends AppError {
  readonly effect: string;

  constructor(effect: string, message: string) {
    super('effect.failed', `${effect}: ${message}`, { effect });
    this.name = 'EffectFailed';
    this.effect = effect;
  }
}

/** What `ctx.secret` throws, with why: there is no such one, it has no value, its time is over, or it was revoked. */
export class SecretUnavailable extends AppError {
  readonly secret: string;
  readonly refusal: SecretRefusal;

  constructor(secret: string, refusal: SecretRefusal, message: string) {
    super(`secret.${refusal}`, message, { secret });
    this.name = 'SecretUnavailable';
    this.secret = secret;
    this.refusal = refusal;
  }
}

/** What awaiting a durable promise throws when whoever settled it rejected it. */
export class PromiseRejected extends AppError {
  constructor(promise: string, message: string) {
    super('promise.rejected', message, { promise });
    this.name = 'PromiseRejected';
  }
}

/** What awaiting a durable promise throws when nobody settled it in time. */
export class PromiseExpired extends AppError {
  constructor(promise: string) {
    super('promise.expired', `Nobody settled ${promise} in time.`, { promise });
    this.name = 'PromiseExpired';
  }
}
