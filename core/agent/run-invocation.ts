// One run of an invocation inside the worker: the agent's code from the top, answered from the record as far as it goes,
// and from then on live. Nothing here writes a journal; every step waits for the host's word that it may go on.
//
// * A run ends once, and only when every effect that it began has ended [P2]: an outcome is never left behind by code
//   that raced it, forgot to await it, or failed beside it. From then on its `ctx` does nothing.
// * What crosses `ctx` is what the journal gives back: a copy, as JSON makes it, so that a re-run sees the same [S23].
// * A re-run that asks for something else than was recorded stops with `replay.diverged` and never improvises: something
//   new waits until everything recorded has been asked for.

import { codeOf, messageOf } from '../model/errors.ts';
import type { FromWorker } from '../model/worker-protocol.ts';
import { agentState } from './agent-state.ts';
import type { AgentContext, AgentDefinition } from './define-agent.ts';
import { effectPerformer } from './perform-effect.ts';
import { RunScope, type Invoke, type Reply } from './run-scope.ts';

const MAX_TEXT = 10_000;

export interface RunningInvocation {
  /** Hands over what the host said about this run. */
  readonly heard: (reply: Reply) => void;
}

export function runInvocation(
  agent: AgentDefinition,
  invoke: Invoke,
  send: (message: FromWorker) => void,
): RunningInvocation {
  const scope = new RunScope(invoke, send);
  void run(agent, scope);
  return { heard: (reply) => scope.heard(reply) };
}

type Ended =
  | { readonly ok: true; readonly response: unknown }
  | { readonly ok: false; readonly error: unknown };

async function run(agent: AgentDefinition, scope: RunScope): Promise<void> {
  const effects = effectPerformer(scope);
  const own = agentState(scope);
  const ctx: AgentContext = {
    process: scope.invoke.process,
    state: own.state,
    effect: effects.effect,
    log: (text, level = 'info') => scope.send({ type: 'log', level, text: textOf(text) }),
  };
  const handled = handle(agent, ctx, scope.invoke);
  const first = await Promise.race([handled, effects.held]);
  await scope.close();
  // A doubt may have come up while the rest was ending; it outweighs whatever the code made of it.
  const held = typeof first === 'string' ? first : await Promise.race([effects.held, Promise.resolve(null)]);
  if (held !== null) {
    scope.send({ type: 'invocation-held', effectId: held });
    return;
  }
  const ended = first as Ended;
  const left = effects.leftover() ?? own.leftover();
  const error =
    scope.diverged ?? (left === undefined ? null : scope.diverge(left, 'the end of the invocation'));
  if (error !== null) failed(scope, error);
  else if (ended.ok) scope.send({ type: 'invocation-done', response: responseOf(ended.response) });
  else failed(scope, ended.error);
}

/** Also for code that is not async, and throws at once. */
async function handle(agent: AgentDefinition, ctx: AgentContext, { event }: Invoke): Promise<Ended> {
  try {
    return { ok: true, response: await agent.onTrigger(ctx, event) };
  } catch (error) {
    return { ok: false, error };
  }
}

function failed(scope: RunScope, error: unknown): void {
  scope.send({
    type: 'invocation-failed',
    code: codeOf(error).slice(0, 200),
    message: messageOf(error).slice(0, MAX_TEXT),
  });
}

function responseOf(response: unknown): string {
  return response === undefined || response === null ? '' : textOf(response);
}

/** A text as it is, anything else as a person would want to read it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (value instanceof Error) return messageOf(value).slice(0, MAX_TEXT);
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, MAX_TEXT);
  } catch {
    return messageOf(value).slice(0, MAX_TEXT);
  }
}
