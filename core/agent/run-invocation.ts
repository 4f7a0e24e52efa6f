// One run of an invocation inside the worker: the agent's code from the top, answered from the record as far as it goes,
// and from then on live. Nothing here writes a journal; whatever touches the world waits for the host's word that it may.
//
// * A run ends once, and only when every effect that it began has ended [P2]: an outcome is never left behind by code
//   that raced it, forgot to await it, or failed beside it. From then on its `ctx` does nothing.
// * What crosses `ctx` is what the journal gives back: a copy, as JSON makes it, so that a re-run sees the same [S23].
// * What happens to it reaches its code one at a time, in a re-run in the order of the journal [S26].
// * A re-run that asks for something else than was recorded stops with `replay.diverged` and never improvises: something
//   new waits until everything recorded has been asked for.

import type { AgentPlan } from '../model/agent-plan.ts';
import { isUntrusted } from '../model/entry.ts';
import type { ToldAtStart } from '../model/told.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { MAX_CODE, MAX_ERROR_TEXT as MAX_TEXT } from '../model/limits.ts';
import { Scrubber, type Scrub } from '../model/scrubber.ts';
import type { ServerStatus } from '../model/tools.ts';
import type { FromWorker, InvocationRecord, Saying } from '../model/worker-protocol.ts';
import { agentHost, type AskHost } from './agent-host.ts';
import { agentConversation } from './agent-conversation.ts';
import { agentMessages } from './agent-messages.ts';
import { agentSecrets } from './agent-secrets.ts';
import { agentState } from './agent-state.ts';
import { divergenceMessage, END_OF_INVOCATION } from './check-message.ts';
import type { AgentContext, AgentDefinition, AgentEvent } from './define-agent.ts';
import type { Recorded } from './deliveries.ts';
import { durableWaits, waitKey } from './durable-waits.ts';
import { TerminalError } from './effect-errors.ts';
import { effectKey, effectPerformer } from './perform-effect.ts';
import type { ToolList } from './llm/tool.ts';
import { listedTools } from './listed-tools.ts';
import { recordedChance } from './recorded-chance.ts';
import { RunScope, type Invoke, type Reply } from './run-scope.ts';
import { signalKey, signalsAndQueries, type SignalsAndQueries } from './signals-and-queries.ts';

/** What a worker has loaded: a module's agent, or the one that runs what a plan says. */
export interface RunnableAgent extends Pick<AgentDefinition, 'scan' | 'judge'> {
  onTrigger(ctx: AgentContext, event: AgentEvent, run: RunDetails): Promise<string | void>;
}

export interface RunDetails {
  /** Null for a code agent. */
  readonly plan: AgentPlan | null;
  /** What it was told of its process when it began, the same in every re-run. */
  readonly told: ToldAtStart;
  /** Absolute path. */
  readonly workspace: string;
  /** For whoever looks; at most so often and so much as a person can read. */
  readonly show: (saying: Saying | null) => void;
  /** What this worker was given: it takes it out of what is kept elsewhere than in the journal. */
  readonly secrets: Scrub;
  /** What `find` finds, once for an invocation: a re-run gets the same, and nothing is looked for [S25]. */
  readonly listed: (find: () => Promise<ToolList>) => Promise<ToolList>;
  /** Asks the host for something about the agent itself; only inside an effect. */
  readonly askHost: AskHost;
  /** What sources that are servers need to know, and to tell. */
  readonly toolDesk?: ToolDesk;
}

export interface ToolDesk {
  /** Fingerprints of what trusted sources said when they were believed, by `<source>/<tool>` [S32]. */
  readonly believed: Readonly<Record<string, string>>;
  /** How the worker gets on with all of its servers; nothing of it is recorded. */
  readonly tellServers: (servers: readonly ServerStatus[]) => void;
}

export interface RunningInvocation {
  /** Hands over what the host said about this run. */
  readonly heard: (reply: Reply) => void;
}

export function runInvocation(
  agent: RunnableAgent,
  invoke: Invoke,
  send: (message: FromWorker) => void,
  known: Scrubber = new Scrubber(),
): RunningInvocation {
  let signals!: SignalsAndQueries;
  const scope = new RunScope(
    invoke,
    send,
    recordedOf(invoke.record, (signal) => signals.signalled(signal)),
    known,
  );
  signals = signalsAndQueries(scope);
  const effects = effectPerformer(scope);
  const waits = durableWaits(scope);
  const secrets = agentSecrets(scope);
  const host = agentHost(scope);
  const ctx: AgentContext = {
    process: invoke.process,
    attempt: invoke.attempt,
    state: agentState(scope),
    conversation: agentConversation(scope),
    inbox: invoke.record.inbox,
    instructions: invoke.record.instructions,
    effect: effects.effect,
    promise: waits.promise,
    sleep: waits.sleep,
    until: waits.until,
    onSignal: signals.onSignal,
    onQuery: signals.onQuery,
    ...recordedChance(scope),
    ...agentMessages(scope),
    secret: secrets.secret,
    log: (text, level = 'info') => {
      if (scope.isReal) scope.send({ type: 'log', level, text: textOf(text, scope.secrets) });
    },
  };
  const details = runDetails(scope, host.ask);
  void run(agent, ctx, scope, { held: effects.held, failed: signals.failed, details });
  return {
    heard: (reply) => {
      switch (reply.type) {
        case 'effect-permitted':
          scope.permitted(reply.effectId, null);
          return;
        case 'effect-refused':
          scope.permitted(reply.effectId, new AppError(reply.code, reply.message));
          return;
        case 'effect-recorded':
          scope.outcomeRecorded(reply.effectId);
          return;
        case 'secret-told':
          secrets.told(reply);
          return;
        case 'host-answered':
          host.answered(reply);
          return;
        case 'wait-ended':
          scope.heard += 1;
          scope.touch();
          waits.ended(reply.waitId, reply.end);
          return;
        case 'signal':
          scope.heard += 1;
          scope.touch();
          scope.deliveries.live(() => signals.signalled(reply.signal));
          return;
        case 'query':
          void answer(scope, signals, reply);
          return;
      }
    },
  };
}

/** The outcomes of this attempt in the order of the journal; what earlier ones recorded has no place in it. */
function recordedOf(
  { attemptSeq, effects, waits, signals }: InvocationRecord,
  signalled: SignalsAndQueries['signalled'],
): readonly Recorded[] {
  const all: Recorded[] = [];
  for (const { effectId, end, endSeq } of effects) {
    // What is in doubt is not answered from the record, unless its code was told that it failed.
    const isAnswered = end?.kind === 'done' || isTold(end);
    if (isAnswered && endSeq !== null) all.push({ seq: endSeq, key: effectKey(effectId), act: null });
  }
  for (const { waitId, end, endSeq } of waits) {
    if (end !== null && endSeq !== null) all.push({ seq: endSeq, key: waitKey(waitId), act: null });
  }
  for (const signal of signals) {
    all.push({ seq: signal.seq, key: signalKey(signal.signalId), act: () => signalled(signal) });
  }
  return all.filter(({ seq, act }) => seq > attemptSeq || act !== null).sort((a, b) => a.seq - b.seq);
}

function isTold(end: InvocationRecord['effects'][number]['end']): boolean {
  if (end?.kind === 'did_not_happen') return end.again !== true;
  return end?.kind === 'in_doubt' && end.givenUp === true;
}

async function answer(
  scope: RunScope,
  signals: SignalsAndQueries,
  { id, name, args }: Extract<Reply, { type: 'query' }>,
): Promise<void> {
  // What it would be asked about is known once it is where it was.
  if (!scope.isReal) await scope.atEnd;
  else await scope.deliveries.caughtUp();
  scope.send({ type: 'query-answered', id, answer: signals.ask(name, args) });
}

type Ended =
  | { readonly ok: true; readonly response: unknown; readonly refused?: string }
  | { readonly ok: false; readonly error: unknown };

async function run(
  agent: RunnableAgent,
  ctx: AgentContext,
  scope: RunScope,
  {
    held,
    failed,
    details,
  }: { readonly held: Promise<string>; readonly failed: Promise<never>; readonly details: RunDetails },
): Promise<void> {
  const handled = handle(agent, ctx, scope, details);
  const handlerFailed = failed.catch((error: unknown): Ended => ({ ok: false, error }));
  const diverged = scope.diverged.then((error): Ended => ({ ok: false, error }));
  const first = await Promise.race([handled, held, handlerFailed, diverged]);
  await scope.close();
  // A doubt may have come up while the rest was ending; it outweighs whatever the code made of it.
  const doubt = typeof first === 'string' ? first : await Promise.race([held, Promise.resolve(null)]);
  if (doubt !== null) {
    scope.send({ type: 'invocation-held', effectId: doubt });
    return;
  }
  const ended = first as Ended;
  const left = scope.leftover();
  const found = ended.ok
    ? END_OF_INVOCATION
    : `${END_OF_INVOCATION}, failed: ${scope.secrets.text(messageOf(ended.error))}`;
  const error = scope.divergence ?? (left === undefined ? null : scope.diverge(left, found));
  if (error !== null) tellDiverged(scope, error);
  else if (ended.ok && ended.refused !== undefined) {
    scope.send({ type: 'invocation-refused', why: scope.secrets.text(ended.refused).slice(0, MAX_TEXT) });
  } else if (ended.ok)
    scope.send({
      type: 'invocation-done',
      response: responseOf(ended.response, scope.secrets),
      isText: typeof ended.response === 'string',
    });
  else tellFailed(scope, ended.error);
}

/** Also for code that is not async, and throws at once. */
async function handle(
  agent: RunnableAgent,
  ctx: AgentContext,
  scope: RunScope,
  details: RunDetails,
): Promise<Ended> {
  const event = eventOf(scope.invoke);
  try {
    const refused = (await agent.scan?.(event)) ?? null;
    if (refused !== null) return { ok: true, response: '', refused: wholeText(refused) };
    return { ok: true, response: await agent.onTrigger(ctx, event, details) };
  } catch (error) {
    return { ok: false, error };
  }
}

function runDetails(scope: RunScope, askHost: AskHost): RunDetails {
  const { invoke, secrets } = scope;
  const { record, workspace } = invoke;
  return {
    plan: record.plan,
    told: record.told,
    workspace,
    show: (saying) => {
      if (scope.isReal) scope.send({ type: 'glimpsed', saying: scope.secrets.json(saying) });
    },
    askHost,
    secrets,
    listed: listedTools(scope),
    toolDesk: {
      believed: record.believedTools,
      tellServers: (servers) => scope.tellServers(servers),
    },
  };
}

function eventOf({ event: { from: _, spilled: __, ...event } }: Invoke): AgentEvent {
  return { ...event, isUntrusted: isUntrusted(event) };
}

function tellDiverged(scope: RunScope, error: AppError): void {
  const { expected, found } = error.detail as { readonly expected: string; readonly found: string };
  const { code } = error;
  if (scope.isCheck)
    scope.send({
      type: 'invocation-failed',
      code,
      message: divergenceMessage({ expected, found }),
      terminal: false,
    });
  else tellFailed(scope, error);
}

function tellFailed(scope: RunScope, error: unknown): void {
  scope.send({
    type: 'invocation-failed',
    code: scope.secrets.text(codeOf(error)).slice(0, MAX_CODE),
    message: scope.secrets.text(messageOf(error)).slice(0, MAX_TEXT),
    terminal: error instanceof TerminalError,
  });
}

function responseOf(response: unknown, secrets: Scrub): string {
  return response === undefined || response === null ? '' : textOf(response, secrets);
}

/** A text as it is, anything else as a person would want to read it. */
function textOf(value: unknown, secrets: Scrub): string {
  // Half a secret would not be known for one.
  return secrets.text(wholeText(value)).slice(0, MAX_TEXT);
}

function wholeText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return messageOf(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return messageOf(value);
  }
}
