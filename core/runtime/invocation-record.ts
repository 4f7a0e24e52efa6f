// What the journal has of an invocation, for the worker that goes on with it.

import { planOf } from '../model/agent-plan.ts';
import { isSpilled, type RecordedEffect } from '../model/effects.ts';
import type { TriggerEvent } from '../model/entry.ts';
import { listOf } from '../model/fold-tools.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import {
  conversationAtStart,
  viewAtStart,
  type OpenInvocation,
  type ProcessSnapshot,
} from '../model/snapshot.ts';
import type { InvocationRecord } from '../model/worker-protocol.ts';
import type { Recorder } from './recorder.ts';

/** With these effects, whose results are all there. */
export function recordOf(
  snapshot: Readonly<ProcessSnapshot>,
  open: OpenInvocation,
  { config }: Pick<ProcessDefinition, 'config'>,
  effects: readonly RecordedEffect[],
): InvocationRecord {
  const { attemptSeq, seed, inbox, writes, sayings, sends, waits, signals, clock, versions } = open;
  return {
    attemptSeq,
    seed,
    state: viewAtStart(snapshot.context, open),
    conversation: conversationAtStart(snapshot, open, config.conversationMaxMessages),
    inbox,
    effects,
    writes,
    sayings,
    compactions: open.compactions ?? [],
    sends,
    waits,
    signals,
    clock,
    versions,
    instructions: open.instructions ?? '',
    plan: planOf(open.plan ?? null),
    tools: toolsOf(snapshot, open),
    believedTools: snapshot.tools.believed,
    told: open.told ?? {},
    inheritedBy: open.inherited?.by ?? '',
  };
}

/** One whose list is kept no longer looks again. */
function toolsOf({ tools }: Readonly<ProcessSnapshot>, open: OpenInvocation): InvocationRecord['tools'] {
  const offers = open.tools === undefined ? null : listOf(tools, open.tools.hash);
  return offers === null ? null : { offers, problems: open.tools?.problems ?? [] };
}

/** Effects with their results; null for one whose result is lost [S16]. */
export function fetchSpilled(
  recorder: Pick<Recorder, 'fetch'>,
  effects: readonly RecordedEffect[],
): Promise<readonly (RecordedEffect | null)[]> {
  return Promise.all(
    effects.map(async (effect) => {
      if (!isSpilled(effect)) return effect;
      const result = await recorder.fetch(effect.end.spilled);
      return result === null ? null : { ...effect, end: { kind: 'done' as const, result } };
    }),
  );
}

/** The event with its payload; null where that is lost [S16]. */
export async function fetchPayload(
  recorder: Pick<Recorder, 'fetch'>,
  event: TriggerEvent,
): Promise<TriggerEvent | null> {
  if (event.spilled === undefined) return event;
  const payload = await recorder.fetch(event.spilled);
  return payload === null ? null : { ...event, payload };
}
