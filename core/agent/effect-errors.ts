import { AppError } from '../model/errors.ts';

/**
 * Thrown inside an effect by code that knows that nothing happened: refused before it was sent, rejected by the
 * provider. Anything else that an effect throws leaves it in doubt.
 */
export class DidNotHappen extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('effect.did-not-happen', message, {}, options);
    this.name = 'DidNotHappen';
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
