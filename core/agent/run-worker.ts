import { pathToFileURL } from 'node:url';
import { AppError, messageOf } from '../model/errors.ts';
import { Scrubber } from '../model/scrubber.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { judgeMission } from './judge-mission.ts';
import { runInvocation, type RunnableAgent, type RunningInvocation } from './run-invocation.ts';

/** The worker's end of what connects it to its host. Keeps order; ends with the host. */
export interface WorkerChannel {
  send(message: FromWorker): void;
  onMessage(listener: (message: ToWorker) => void): void;
}

export interface WorkerStart {
  readonly process: string;
  /** Absolute path of the agent module; empty for an agent without code of its own. */
  readonly entrypoint: string;
  readonly generation: number;
}

/** Loads the agent, says so, and serves invocations until the worker is ended. Rejects when the module can't be loaded. */
export async function runWorker(channel: WorkerChannel, start: WorkerStart): Promise<void> {
  const agent = await loadAgent(start.entrypoint);
  const running = new Map<number, RunningInvocation>();
  /** All that this worker was ever given. */
  const secrets = new Scrubber();
  channel.onMessage((message) => {
    switch (message.type) {
      case 'ping':
        channel.send({ type: 'pong', id: message.id, rss: process.memoryUsage.rss() });
        break;
      case 'invoke':
        running.set(message.run, runInvocation(agent, message, sender(channel, running), secrets));
        break;
      case 'judge':
        void judgeMission(agent, message.view).then((answer) => channel.send({ type: 'judged', answer }));
        break;
      case 'end':
        // Whoever started this worker sees to its end.
        break;
      case 'effect-permitted':
      case 'effect-refused':
      case 'effect-recorded':
      case 'wait-ended':
      case 'signal':
      case 'query':
      case 'secret-told':
      case 'host-answered':
        running.get(message.run)?.heard(message);
        break;
    }
  });
  channel.send({ type: 'ready' });
}

const LAST_WORDS: ReadonlySet<FromWorker['type']> = new Set([
  'invocation-done',
  'invocation-failed',
  'invocation-held',
  'invocation-refused',
]);

function sender(
  channel: WorkerChannel,
  running: Map<number, RunningInvocation>,
): (message: FromWorker) => void {
  return (message) => {
    if (LAST_WORDS.has(message.type) && 'run' in message) running.delete(message.run);
    channel.send(message);
  };
}

async function loadAgent(entrypoint: string): Promise<RunnableAgent> {
  if (entrypoint === '') return (await import('./llm/llm-agent.ts')).modelAgent();
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(entrypoint).href)) as { default?: unknown };
  } catch (error) {
    throw new AppError(
      'worker.load-failed',
      `The agent module ${entrypoint} can't be loaded: ${messageOf(error)}`,
      { entrypoint },
      { cause: error },
    );
  }
  if (isAgent(module.default)) return module.default;
  throw new AppError(
    'worker.not-an-agent',
    `The agent module ${entrypoint} has no agent: its default export must be what defineAgent({ onTrigger }) returns.`,
    { entrypoint },
  );
}

function isAgent(value: unknown): value is RunnableAgent {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<RunnableAgent>).onTrigger === 'function'
  );
}
