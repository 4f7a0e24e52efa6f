// One webhook: who may call it, and what becomes of a request. Knows nothing of servers.

import { AppError, codeOf } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import type { WebhookTriggerConfig } from '../model/trigger-config.ts';
import type { TriggerSink } from './trigger-sink.ts';
import { answerTo, answerToRefusal, BROKEN_HERE, refusal, type WebhookAnswer } from './webhook-answers.ts';
import { headerOf, keyOf, metadataOf, payloadOf, type WebhookRequest } from './webhook-request.ts';
import { checkSignature, SIGNATURE_HEADERS, type UsableOnce } from './webhook-signature.ts';
import { allowSources, isLoopback, refusePage, type SourceCheck } from './webhook-sources.ts';

export interface WebhookHealth {
  /** Why nothing can be accepted now; null when it can. */
  readonly reason: string | null;
  readonly queueSize: number;
}

export interface WebhookOwner {
  /** The process that is woken. */
  readonly process: string;
  readonly triggerId: string;
  readonly sink: TriggerSink;
  readonly clock: Clock;
  readonly health: () => WebhookHealth;
}

/** What a server serves. */
export interface ServedRoute {
  readonly config: Pick<WebhookTriggerConfig, 'host' | 'port' | 'path' | 'maxBodyBytes'>;
  readonly owner: Pick<WebhookOwner, 'process' | 'triggerId' | 'clock'>;
  readonly isSigned: boolean;
  /** Of one that has all paths of a kind, and shares the kind with others: which are of the kind, and which its own. */
  readonly family?: { readonly takes: (path: string) => boolean; readonly has: (path: string) => boolean };
  /** The last thing that went wrong. */
  readonly problem: WebhookProblem | null;
  readonly tooLarge: WebhookAnswer;
  health(): WebhookHealth;
  refuseSender(request: WebhookRequest): WebhookAnswer | null;
  maySee(request: WebhookRequest): boolean;
  take(request: WebhookRequest, body: Uint8Array): Promise<WebhookAnswer>;
}

export interface WebhookProblem {
  readonly code: string;
  readonly message: string;
  /** A journal timestamp. */
  readonly at: string;
}

/**
 * Who may call it.
 * @throws `trigger.bad-source`, `trigger.bad-secret`, `trigger.bad-path`
 */
export function checkWebhook({ path, port, secret, allowedSources }: WebhookTriggerConfig): SourceCheck {
  if (secret === '') {
    throw new AppError(
      'trigger.bad-secret',
      `The secret of the webhook ${path} on port ${port} is empty, and anybody could sign with it. Give it one, or none at all.`,
    );
  }
  if (!/^\/[^\s?#]*$/.test(path)) {
    throw new AppError(
      'trigger.bad-path',
      `${JSON.stringify(path)} can't be the path of a webhook. Begin it with a slash, without spaces, "?" and "#".`,
      { path },
    );
  }
  return allowSources(allowedSources);
}

export class WebhookRoute implements ServedRoute {
  readonly config: WebhookTriggerConfig;
  readonly owner: WebhookOwner;
  readonly #allows: SourceCheck;
  readonly #signatureHeader: string;
  #problem: WebhookProblem | null = null;

  /** @throws what {@link checkWebhook} throws */
  constructor(config: WebhookTriggerConfig, owner: WebhookOwner) {
    this.#allows = checkWebhook(config);
    this.config = config;
    this.owner = owner;
    this.#signatureHeader = (config.signatureHeader ?? SIGNATURE_HEADERS[config.scheme]).toLowerCase();
  }

  get isSigned(): boolean {
    return this.config.secret !== null;
  }

  /** The last thing that went wrong. */
  get problem(): WebhookProblem | null {
    return this.#problem;
  }

  /** Whether it can accept anything; what can't say so can't. */
  health(): WebhookHealth {
    try {
      return this.owner.health();
    } catch (error) {
      this.#note('trigger.health-unknown', `Whether ${this.owner.process} can be woken is not known`, error);
      return { reason: 'health unknown', queueSize: 0 };
    }
  }

  /** Why the request is refused by who sent it; null when it may go on. */
  refuseSender(request: WebhookRequest): WebhookAnswer | null {
    switch (this.#whyNotFrom(request)) {
      case null:
        return null;
      case 'source':
        return this.#refuse('trigger.source-refused', 403, 'The source is not allowed.', request);
      case 421:
        return this.#refuse('trigger.host-refused', 421, 'The host is another one.', request);
      case 403:
        return this.#refuse('trigger.origin-refused', 403, 'Pages of other sites are not allowed.', request);
    }
  }

  /** Who may not call it is not told how it is either. */
  maySee(request: WebhookRequest): boolean {
    return this.#whyNotFrom(request) === null;
  }

  #whyNotFrom(request: WebhookRequest): 'source' | 421 | 403 | null {
    if (!this.#allows(request.remote)) return 'source';
    if (this.config.secret !== null || !isLoopback(this.config.host)) return null;
    return refusePage(headerOf(request, 'host'), headerOf(request, 'origin'));
  }

  get tooLarge(): WebhookAnswer {
    const { maxBodyBytes } = this.config;
    return refusal(413, `The body is larger than the ${maxBodyBytes} bytes that are taken.`);
  }

  /** Whoever may send it has sent it whole. Never rejects. */
  async take(request: WebhookRequest, body: Uint8Array): Promise<WebhookAnswer> {
    try {
      return await this.#take(request, body);
    } catch (error) {
      const answer = answerToRefusal(error);
      if (answer === null) {
        this.#note(codeOf(error), `A request to ${this.owner.triggerId} could not be handled`, error);
        return BROKEN_HERE;
      }
      this.#note(codeOf(error), `${this.owner.process} took no event from ${this.owner.triggerId}`, error);
      return answer;
    }
  }

  async #take(request: WebhookRequest, body: Uint8Array): Promise<WebhookAnswer> {
    const { scheme, secret, toleranceMs } = this.config;
    let once: UsableOnce | null = null;
    if (secret !== null) {
      const header = headerOf(request, this.#signatureHeader);
      const verdict = checkSignature({ scheme, secret, toleranceMs }, header, body, this.owner.clock.now());
      if (!verdict.isGood) {
        return this.#refuse(
          'trigger.bad-signature',
          401,
          'The signature is missing or wrong.',
          request,
          verdict.why,
        );
      }
      once = verdict.once;
    }
    const read = payloadOf(request, body);
    if (!read.isGood) return this.#refuse('trigger.bad-request', read.status, read.why, request);
    const answer = await this.owner.sink({
      payload: read.payload,
      metadata: metadataOf(request, this.#signatureHeader, secret !== null),
      ...keyOf(request, scheme, once),
    });
    // Something came of it again.
    this.#problem = null;
    return answerTo(answer, once !== null);
  }

  #refuse(
    code: string,
    status: number,
    message: string,
    { remote }: WebhookRequest,
    why = message,
  ): WebhookAnswer {
    this.#note(code, `A request from ${remote ?? 'somewhere'} was refused`, why);
    return refusal(status, message);
  }

  #note(code: string, what: string, why: unknown): void {
    const text = why instanceof Error ? why.message : String(why);
    const message = `${what}: ${text}`;
    this.#problem = { code, message, at: timestampOf(this.owner.clock.now()) };
  }
}
