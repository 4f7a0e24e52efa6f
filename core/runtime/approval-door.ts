// The way in for decisions that come signed over HTTP. It is open as long as its process is there, also while that is held:
// a decision that comes then is kept, and acted upon when the process goes on.

import type { ApprovalWebhook } from '../model/approval-webhook.ts';
import { messageOf, type AppError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { ApprovalRoute, type SentDecision } from '../triggers/approval-route.ts';
import type { RunningWebhook, WebhookServers } from '../triggers/webhook-servers.ts';
import type { ApprovalDesk, Decided, DecisionOrder } from './approval-desk.ts';
import { Delay } from './delay.ts';

/** A port that another program holds may become free. */
const AGAIN_MS = 10_000;

export interface ApprovalDoorOptions {
  readonly process: string;
  /** Null where there is none. */
  readonly config: ApprovalWebhook | null;
  readonly servers: WebhookServers;
  readonly desk: ApprovalDesk;
  readonly clock: Clock;
  /** Why the process's journal takes nothing. */
  readonly trouble: () => AppError | null;
  readonly knowSecret: (secret: string) => void;
  readonly onProblem: (message: string) => void;
}

export class ApprovalDoor {
  readonly #options: ApprovalDoorOptions;
  readonly #again: Delay;
  #running: RunningWebhook | null = null;
  #opening: Promise<void> = Promise.resolve();
  #isOpen = false;
  #isSaid = false;

  constructor(options: ApprovalDoorOptions) {
    this.#options = options;
    this.#again = new Delay(options.clock);
  }

  /** Whatever keeps it shut is said once, and tried again. */
  open(): void {
    const { config, knowSecret } = this.#options;
    if (config === null || this.#isOpen) return;
    this.#isOpen = true;
    knowSecret(config.secret);
    this.#opening = this.#try(config);
  }

  /** Resolves when nothing comes in any more. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#again.cancel();
    await this.#opening;
    const running = this.#running;
    this.#running = null;
    await running?.[Symbol.asyncDispose]();
  }

  async #try(config: ApprovalWebhook): Promise<void> {
    const { process, clock, servers, desk, trouble, onProblem } = this.#options;
    try {
      const route = new ApprovalRoute({
        ...config,
        process,
        clock,
        knows: (promiseId) => desk.knows(promiseId),
        decide: (sent) => this.#decide(sent),
        health: () => ({ reason: trouble()?.code ?? null, queueSize: 0 }),
      });
      this.#running = await servers.serve(route);
    } catch (error) {
      if (!this.#isOpen) return;
      if (!this.#isSaid) {
        onProblem(`No decisions for ${process} can come in over HTTP yet: ${messageOf(error)}`);
      }
      this.#isSaid = true;
      this.#again.start(AGAIN_MS, () => {
        this.#opening = this.#try(config);
      });
    }
  }

  #decide(sent: SentDecision): Promise<Decided> {
    const actor = { name: `webhook:${sent.by}`, reason: sent.reason };
    return this.#options.desk.decide(sent.promiseId, orderOf(sent), actor);
  }
}

function orderOf({ verdict, args, answer }: SentDecision): DecisionOrder {
  switch (verdict) {
    case 'approve':
      return args === undefined ? { kind: 'approve' } : { kind: 'approve', args };
    case 'reject':
      return { kind: 'reject' };
    case 'answer':
      return { kind: 'answer', text: answer };
  }
}
