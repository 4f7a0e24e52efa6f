import { createHash } from 'node:crypto';
import { AppError } from '../model/errors.ts';

/** Answers kept, so that the same command asked twice is answered twice and done once. */
const REMEMBERED_COMMANDS = 1_000;

/**
 * The same command id is the same command: one act, and the same answer for everyone who asks. With it for another
 * command nobody could tell which of the two was meant.
 */
export class RememberedCommands {
  readonly #known = new Map<string, { readonly asked: string; readonly outcome: Promise<unknown> }>();

  /** @throws `request.command-reused` */
  once<T>(name: string, request: { readonly commandId: string }, act: () => Promise<T>): Promise<T> {
    const { commandId } = request;
    const asked = createHash('sha256')
      .update(JSON.stringify([name, request]))
      .digest('base64');
    const known = this.#known.get(commandId);
    if (known !== undefined) {
      // The same request has the same kind of answer.
      if (known.asked === asked) return known.outcome as Promise<T>;
      throw new AppError(
        'request.command-reused',
        `The command id ${commandId} was used for another command, so nothing was done. Ask again with an id of its own.`,
        { commandId },
      );
    }
    const outcome = act();
    this.#known.set(commandId, { asked, outcome });
    if (this.#known.size > REMEMBERED_COMMANDS) this.#known.delete(this.#known.keys().next().value!);
    return outcome;
  }

  /** Resolves when each has been done or has failed; its answer goes to who asked. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#known.values()].map(({ outcome }) => outcome));
  }
}
