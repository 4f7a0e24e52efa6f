// A process with a few invocations behind it, in a runtime that never needs a worker: for rewinds that are cut short.

import { runtimeOn } from '../../core/host/runtime-on.ts';
import type { FileJournal } from '../../core/journal/index.ts';
import { AppError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { WorkerHost } from '../../core/model/ports.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessDefinition } from '../../core/model/process-config.ts';
import type { OpenInvocation, ProcessSnapshot } from '../../core/model/snapshot.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';

export const NAME = 'agent';
export const OPERATOR = { name: 'operator:tester', reason: 'test' } as const;

const DEFINITION: ProcessDefinition = {
  name: NAME,
  description: '',
  entrypoint: 'never-started.ts',
  directory: '',
  config: DEFAULT_PROCESS_CONFIG,
  configHash: 'config',
  codeHash: 'code',
};

const NO_WORKERS: WorkerHost = {
  spawn: async () => {
    throw new AppError('worker.spawn-failed', 'Nobody works here.');
  },
  reap: async () => {},
};

export interface Life extends AsyncDisposable {
  readonly runtime: AgentRuntime;
  readonly process: AgentProcess;
}

export const definitionOf = (name: string): ProcessDefinition => ({ ...DEFINITION, name });

/** Takes the processes over on this journal; ending it closes the journal. */
export async function live(journal: FileJournal, names: readonly string[] = [NAME]): Promise<Life> {
  const runtime = runtimeOn(journal, { definitions: names.map(definitionOf), workerHost: NO_WORKERS });
  await runtime.start();
  return {
    runtime,
    process: runtime.process(NAME),
    [Symbol.asyncDispose]: async () => {
      await runtime.quit();
      await journal.close();
    },
  };
}

/** Events that were handled; gives the entry of each result. */
export async function handleEvents(journal: FileJournal, count: number): Promise<readonly number[]> {
  const ends: number[] = [];
  await journal.claim(NAME);
  const say = (entry_type: string, data: JsonObject) =>
    journal.append({ process_id: NAME, entry_type, data });
  for (let n = 1; n <= count; n += 1) {
    const event_id = `event-${n}`;
    const effect_id = `${event_id}/book#0`;
    await say('trigger_event', { event_id, trigger_id: 'manual', trigger_type: 'manual', payload: n });
    await say('invocation_start', { event_id, invocation: n, attempt: 1, code_hash: 'code', seed: 'seed' });
    await say('context_update', { key: 'count', value: n, event_id, ordinal: 0 });
    await say('conversation_appended', { event_id, ordinal: 0, role: 'assistant', content: `number ${n}` });
    const announced = { name: 'book', occurrence: 0, class: 'ask', args_hash: 'h', args_preview: '{}' };
    await say('effect_started', { event_id, effect_id, ...announced, key: effect_id, attempt: 1 });
    await say('effect_finished', { event_id, effect_id, end: 'done', result: { receipt: n } });
    const end = await say('invocation_result', { event_id, invocation: n, duration_ms: 1, response: '' });
    ends.push(end.seq);
  }
  return ends;
}

/** What a rewind moves, and what comes of it; the attempt begins wherever that was made good. */
export function moved({
  context,
  conversation,
  conversationCount,
  recentRuns,
  consecutiveFailures,
  rewinding,
  open,
  queue,
}: Readonly<ProcessSnapshot>) {
  return structuredClone({
    context,
    conversation,
    conversationCount,
    recentRuns,
    consecutiveFailures,
    rewinding,
    queue,
    open: open.map(({ attemptSeq: _, ...rest }: OpenInvocation) => rest),
  });
}
