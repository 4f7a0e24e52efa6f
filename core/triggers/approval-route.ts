// Decisions that come over HTTP: POST /approvals/<promise id>, signed. The signature covers the promise and the time, so it
// is good for one promise, for a while, and once: what was overheard decides nothing else [A15].

import type { Clock } from '../model/ports.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { isObject, type Json } from '../model/json.ts';
import { timestampOf } from '../model/time.ts';
import { answerToRefusal, BROKEN_HERE, refusal, type WebhookAnswer } from './webhook-answers.ts';
import { headerOf, pathOf, payloadOf, type WebhookRequest } from './webhook-request.ts';
import type { ServedRoute, WebhookHealth, WebhookProblem } from './webhook-route.ts';
import { checkSignature } from './webhook-signature.ts';
import { allowSources, type SourceCheck } from './webhook-sources.ts';

export const APPROVALS_PATH = '/approvals/';
/** `t=<seconds>,v1=<hex>`, over `<seconds>.<promise id>.<body>`. */
export const APPROVAL_SIGNATURE = 'holdfast-signature';
const MAX_BODY = 1024 * 1024;
const MAX_BY = 200;
const MAX_REASON = 500;
/** Signatures are good for minutes; of more than these the oldest are forgotten, whose promises are decided. */
const MAX_USED = 10_000;
const KEYS: ReadonlySet<string> = new Set(['verdict', 'args', 'answer', 'reason', 'by']);

/** What somebody sent, looked at as far as that can be done without knowing what is asked. */
export interface SentDecision {
  readonly promiseId: string;
  readonly verdict: 'approve' | 'reject' | 'answer';
  readonly args?: Json;
  readonly answer: string;
  readonly reason: string;
  readonly by: string;
}

export interface SentDecided {
  readonly isFirst: boolean;
  readonly end: string;
  readonly by: string;
}

export interface ApprovalRouteOptions {
  readonly process: string;
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  readonly toleranceMs: number;
  readonly allowedSources: readonly string[];
  readonly clock: Clock;
  readonly knows: (promiseId: string) => boolean;
  readonly decide: (decision: SentDecision) => Promise<SentDecided>;
  readonly health: () => WebhookHealth;
}

export class ApprovalRoute implements ServedRoute {
  readonly config: ServedRoute['config'];
  readonly owner: ServedRoute['owner'];
  readonly isSigned = true;
  readonly family: NonNullable<ServedRoute['family']>;
  readonly #options: ApprovalRouteOptions;
  readonly #allows: SourceCheck;
  readonly #used = new Set<string>();
  #problem: WebhookProblem | null = null;

  /** @throws `trigger.bad-source`, `trigger.bad-secret` */
  constructor(options: ApprovalRouteOptions) {
    const { process, host, port, clock, secret, allowedSources, knows } = options;
    if (secret === '') {
      throw new AppError(
        'trigger.bad-secret',
        `The secret for the approvals of ${process} is empty, and anybody could sign with it. Give it one.`,
      );
    }
    this.#options = options;
    this.#allows = allowSources(allowedSources);
    this.config = { host, port, path: APPROVALS_PATH, maxBodyBytes: MAX_BODY };
    this.owner = { process, triggerId: 'approvals', clock };
    this.family = {
      takes: (path) => path.startsWith(APPROVALS_PATH),
      has: (path) => knows(promiseOf(path)),
    };
  }

  get problem(): WebhookProblem | null {
    return this.#problem;
  }

  get tooLarge(): WebhookAnswer {
    return refusal(413, `The body is larger than the ${MAX_BODY} bytes that are taken.`);
  }

  health(): WebhookHealth {
    return this.#options.health();
  }

  maySee({ remote }: WebhookRequest): boolean {
    return this.#allows(remote);
  }

  refuseSender(request: WebhookRequest): WebhookAnswer | null {
    if (this.maySee(request)) return null;
    this.#note('trigger.source-refused', `A request from ${request.remote ?? 'somewhere'} was refused`);
    return refusal(403, 'The source is not allowed.');
  }

  /** Never rejects. */
  async take(request: WebhookRequest, body: Uint8Array): Promise<WebhookAnswer> {
    const promiseId = promiseOf(pathOf(request.target));
    const { secret, toleranceMs, clock } = this.#options;
    const signed = Buffer.concat([Buffer.from(`${promiseId}.`), body]);
    const header = headerOf(request, APPROVAL_SIGNATURE);
    const verdict = checkSignature({ scheme: 'stripe', secret, toleranceMs }, header, signed, clock.now());
    if (!verdict.isGood || verdict.once === null) {
      this.#note(
        'trigger.bad-signature',
        `A decision from ${request.remote ?? 'somewhere'} was refused: ${verdict.isGood ? 'no time' : verdict.why}`,
      );
      return refusal(401, 'The signature is missing or wrong.');
    }
    const { key } = verdict.once;
    if (this.#used.has(key)) return refusal(409, 'This signature was used before, and counts once.');
    this.#use(key);
    try {
      return await this.#decide(promiseId, request, body);
    } catch (error) {
      const answer = refusedAs(error);
      if (answer.status >= 500) {
        // Nothing came of it, so the same may be sent again.
        this.#used.delete(key);
        this.#note(codeOf(error), `A decision could not be taken: ${messageOf(error)}`);
      }
      return answer;
    }
  }

  async #decide(promiseId: string, request: WebhookRequest, body: Uint8Array): Promise<WebhookAnswer> {
    const read = payloadOf(request, body);
    if (!read.isGood) return refusal(read.status, read.why);
    const decision = decisionIn(promiseId, read.payload);
    if (typeof decision === 'string') return refusal(422, decision);
    if (!this.#options.knows(promiseId)) return refusal(404, 'Nothing waits for this promise.');
    const { isFirst, end, by } = await this.#options.decide(decision);
    this.#problem = null;
    const said = { status: end, promise_id: promiseId, ...(by === '' ? {} : { by }) };
    if (isFirst) return { status: 200, body: said };
    return end === 'expired'
      ? { status: 410, body: { ...said, message: 'It expired before this decision came.' } }
      : { status: 409, body: { ...said, message: 'It was decided before, and stays so.' } };
  }

  #use(key: string): void {
    this.#used.add(key);
    const [oldest] = this.#used;
    if (this.#used.size > MAX_USED && oldest !== undefined) this.#used.delete(oldest);
  }

  #note(code: string, message: string): void {
    this.#problem = { code, message, at: timestampOf(this.#options.clock.now()) };
  }
}

function promiseOf(path: string): string {
  return path.slice(APPROVALS_PATH.length);
}

/** The decision, or what is wrong with it. */
function decisionIn(promiseId: string, body: Json): SentDecision | string {
  if (!isObject(body)) return 'The body is an object with "verdict" and "by".';
  const unknown = Object.keys(body).find((key) => !KEYS.has(key));
  if (unknown !== undefined) {
    return `${JSON.stringify(unknown.slice(0, 40))} is not known; there are: ${[...KEYS].join(', ')}.`;
  }
  const { verdict, by, reason = '', answer = '' } = body;
  if (verdict !== 'approve' && verdict !== 'reject' && verdict !== 'answer') {
    return '"verdict" is "approve", "reject" or "answer".';
  }
  if (typeof by !== 'string' || by.trim() === '' || by.length > MAX_BY) {
    return `"by" says who decided, in 1 to ${MAX_BY} characters.`;
  }
  if (typeof reason !== 'string' || reason.length > MAX_REASON) {
    return `"reason" is a text of at most ${MAX_REASON} characters.`;
  }
  if (typeof answer !== 'string') return '"answer" is a text.';
  if (Object.hasOwn(body, 'args') && verdict !== 'approve') return '"args" come with "approve".';
  const args = Object.hasOwn(body, 'args') ? { args: body['args']! } : {};
  return { promiseId, verdict, ...args, answer, reason: reason.trim(), by: by.trim() };
}

function refusedAs(error: unknown): WebhookAnswer {
  const code = codeOf(error);
  if (code === 'promise.not-found') return refusal(404, 'Nothing waits for this promise.');
  if (code === 'promise.too-large') return refusal(413, 'The arguments are larger than what can be kept.');
  if (code.startsWith('approval.') || code === 'json.not-recordable') return refusal(422, messageOf(error));
  return answerToRefusal(error) ?? BROKEN_HERE;
}
