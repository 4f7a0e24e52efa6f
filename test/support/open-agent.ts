// What a test does with an agent in open mode.

import { isObject, type Json } from '../../core/model/json.ts';
import type { AgentPlan } from '../../core/model/agent-plan.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { AgentRuntime } from '../../core/runtime/agent-runtime.ts';
import { OPEN_AGENT, openPlan, type Call } from './open-source.ts';
import { bench, isIdle, type Bench } from './runtime.ts';
import { waitFor } from './wait-for.ts';

export interface Told {
  readonly text: string;
  readonly isError: boolean;
}

export function openBench(
  agent: AgentPlan = openPlan(),
  config: Partial<ProcessConfig> = {},
  directory?: string,
): Promise<Bench> {
  return bench(OPEN_AGENT, { agent, instructions: 'as the manifest says', ...config }, directory);
}

/** Calls these tools in one invocation; resolves with what they answered, when it has ended. */
export async function call(process: AgentProcess, ...calls: readonly Call[]): Promise<readonly Told[]> {
  const before = process.snapshot.invocationCount;
  await process.trigger({ calls: calls.map((one) => ({ ...one })) });
  await waitFor(() => process.snapshot.invocationCount > before && isIdle(process), { what: 'the calls' });
  return answersOf(process);
}

export function answersOf({ snapshot }: AgentProcess): readonly Told[] {
  const answers = snapshot.context['answers'];
  return Array.isArray(answers) ? (answers.filter(isObject) as unknown as readonly Told[]) : [];
}

/** What one tool answers. */
export async function callOne(process: AgentProcess, tool: string, args: Json = {}): Promise<Told> {
  const [told] = await call(process, { tool, args });
  return told!;
}

export async function untilThere(runtime: AgentRuntime, name: string): Promise<AgentProcess> {
  await waitFor(() => runtime.processes.get(name)?.snapshot.lifecycle === 'running', { what: name });
  return runtime.process(name);
}
