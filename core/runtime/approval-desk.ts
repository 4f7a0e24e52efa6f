// Decisions of people about what an agent asks: whether a tool may be called, and questions. One at a time, each once; who
// decided and why is in the settlement [P7], which the agent reads and the journal keeps.

import {
  askEnd,
  decidedBy,
  editProblem,
  MAX_ANSWER,
  personAsk,
  type AskEnd,
  type PersonAsk,
} from '../model/approval.ts';
import { AppError } from '../model/errors.ts';
import { define, recordable, type Json } from '../model/json.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import type { DurableWait, Settlement } from '../model/waits.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { Settled } from './wait-keeper.ts';

export type DecisionOrder =
  /** With arguments: those instead of what was asked for. */
  | { readonly kind: 'approve'; readonly args?: Json }
  | { readonly kind: 'reject' }
  | { readonly kind: 'answer'; readonly text: string };

export interface Decided {
  /** False where somebody, or the time, was first: nothing changed. */
  readonly isFirst: boolean;
  readonly end: AskEnd;
  /** Who decided; empty where nobody did, or where it is not known any more. */
  readonly by: string;
  /** What is decided, for a person: "the call of delete_file". */
  readonly what: string;
}

export interface ApprovalDeskOptions {
  readonly process: string;
  readonly snapshot: () => Readonly<ProcessSnapshot>;
  /** Without secrets, as it would be recorded. */
  readonly scrubbed: (value: Json) => Json;
  readonly settle: (promiseId: string, settlement: Settlement, actor: Actor) => Promise<Settled>;
}

export class ApprovalDesk {
  readonly #options: ApprovalDeskOptions;

  constructor(options: ApprovalDeskOptions) {
    this.#options = options;
  }

  /** Whether this process asks, or asked, somebody by this promise; one of an invocation that ended counts. */
  knows(promiseId: string): boolean {
    const { open, settled } = this.#options.snapshot();
    return (
      settled.some((other) => other.promiseId === promiseId) ||
      open.some(({ waits }) => waits.some((wait) => wait.waitId === promiseId && personAsk(wait) !== null))
    );
  }

  /**
   * Resolves when it is durable. One that comes too late changes nothing, and is told how things stand.
   * @throws `approval.bad-arguments`, `approval.bad-decision`, `approval.no-reason`, `promise.not-found`
   */
  async decide(promiseId: string, order: DecisionOrder, actor: Actor): Promise<Decided> {
    const wait = this.#find(promiseId);
    if (wait === undefined) return this.#past(promiseId);
    const ask = personAsk(wait);
    if (ask === null) {
      throw new AppError(
        'approval.bad-decision',
        `The promise ${wait.name} waits for something else than a person's decision. Settle it with a value.`,
        { promiseId },
      );
    }
    const what = whatOf(ask);
    const settlement = settlementOf(ask, this.#recordable(order), actor);
    // Of one that is settled already it changes nothing, and resolves once the first is durable.
    const { isFirst } = await this.#options.settle(promiseId, settlement, actor);
    const end = this.#find(promiseId)?.end ?? null;
    if (end !== null) return { ...endOf(ask, end), isFirst, what };
    // Its invocation went on, and ended, before we looked.
    if (!isFirst) return this.#past(promiseId);
    return { ...endOf(ask, settlement), isFirst, what };
  }

  /** A secret that somebody types is one that nobody may see: it goes by its name, as where it was taken out. */
  #recordable(order: DecisionOrder): DecisionOrder {
    if (order.kind !== 'approve' || order.args === undefined) return order;
    return { ...order, args: this.#options.scrubbed(recordable(order.args, 'what the arguments are')) };
  }

  #find(promiseId: string): DurableWait | undefined {
    return this.#options
      .snapshot()
      .open.flatMap(({ waits }) => waits)
      .find(({ kind, waitId }) => kind === 'promise' && waitId === promiseId);
  }

  #past(promiseId: string): Decided {
    const before = this.#options.snapshot().settled.find((other) => other.promiseId === promiseId);
    if (before === undefined) {
      throw new AppError(
        'promise.not-found',
        `${this.#options.process} waits for no promise ${promiseId} (any more): its invocation has ended, or there never was one.`,
        { promiseId },
      );
    }
    const { status } = before;
    const end = status === 'resolved' ? 'answered' : status;
    return { isFirst: false, end, by: '', what: 'what was asked' };
  }
}

function whatOf(ask: PersonAsk): string {
  return ask.kind === 'question' ? 'the question' : `the call of ${ask.tool}`;
}

function endOf(ask: PersonAsk, end: NonNullable<DurableWait['end']>): Pick<Decided, 'end' | 'by'> {
  return { end: askEnd(ask, end), by: decidedBy(end) };
}

function settlementOf(ask: PersonAsk, order: DecisionOrder, actor: Actor): Settlement {
  const by = { by: actor.name };
  switch (order.kind) {
    case 'answer': {
      if (ask.kind !== 'question') {
        throw badDecision(`${ask.tool} is to be approved or rejected, and asks no question.`);
      }
      const answer = order.text.trim();
      if (answer !== '' && answer.length <= MAX_ANSWER) {
        return { status: 'resolved', value: { answer, ...by } };
      }
      throw badDecision(`An answer has 1 to ${MAX_ANSWER} characters; this one has ${answer.length}.`);
    }
    case 'reject': {
      // A question that nobody answers has no answer; a call that is rejected has a verdict.
      if (actor.reason.trim() !== '') {
        return ask.kind === 'question'
          ? { status: 'rejected', error: actor.reason }
          : { status: 'resolved', value: { verdict: 'reject', reason: actor.reason, ...by } };
      }
      throw new AppError(
        'approval.no-reason',
        'Say why it is rejected: the agent reads it, and the journal keeps it.',
      );
    }
    case 'approve': {
      if (ask.kind === 'question') throw badDecision('A question is answered, not approved.');
      const value: Record<string, Json> = { verdict: 'approve' };
      if (order.args !== undefined) {
        const { args } = order;
        const problem = editProblem(ask, args);
        if (problem !== null) {
          throw new AppError(
            'approval.bad-arguments',
            `${ask.tool} can't be called with these arguments: ${problem}. Nothing was decided.`,
          );
        }
        define(value, 'args', args);
      }
      const reason = actor.reason === '' ? {} : { reason: actor.reason };
      return { status: 'resolved', value: { ...value, ...reason, ...by } };
    }
  }
}

function badDecision(message: string): AppError {
  return new AppError('approval.bad-decision', message);
}
