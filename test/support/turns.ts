// Model agents in real workers, beside a model and tools over HTTP.

import { onTestFinished } from 'vitest';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { DEFAULT_PLAN, type AgentPlan } from '../../core/model/agent-plan.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { numberAt, textAt } from '../../core/model/json.ts';
import type { Clock } from '../../core/model/ports.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { NO_SECRETS } from '../../core/model/secrets.ts';
import { REPOSITORY } from './fixtures.ts';
import type { HttpTool } from './http-tools.ts';
import { bench, isIdle, type Bench } from './runtime.ts';
import { startToolServer, type ServedTool, type ToolServer } from './tool-server.ts';
import { startWireModel, type Decide, type WireModel, type WireOptions } from './wire-model.ts';

/** Of providers that ask for one. */
export const KEYS: Pick<ProcessConfig, 'secrets'> = {
  secrets: {
    ...NO_SECRETS,
    sources: {
      OPENAI_API_KEY: { kind: 'literal', value: 'sk-test-0001' },
      ANTHROPIC_API_KEY: { kind: 'literal', value: 'sk-test-0002' },
    },
  },
};

export interface TurnSetting {
  readonly models: readonly string[];
  readonly tools?: Readonly<Record<string, HttpTool>>;
  readonly server?: Pick<ToolServer, 'url'>;
  /** Code of further parts: `approver: …, memory: …`. */
  readonly parts?: string;
  readonly plan?: Partial<AgentPlan>;
  readonly config?: Partial<ProcessConfig>;
  readonly directory?: string;
  readonly clock?: Clock;
}

/** They end with the test. */
export async function toolServer(tools: Readonly<Record<string, ServedTool['act']>>): Promise<ToolServer> {
  const server = await startToolServer(tools);
  onTestFinished(() => server.close());
  return server;
}

export async function wireModel(decide: Decide, options: WireOptions = {}): Promise<WireModel> {
  const server = await startWireModel(decide, options);
  onTestFinished(() => server.close());
  return server;
}

export function turnBench(setting: TurnSetting): Promise<Bench> {
  const { models, tools = {}, server, parts = '', plan = {}, config = {}, directory, clock } = setting;
  const source = `
${moduleImport('core/agent/llm/llm-agent.ts', '{ modelAgent }')}
${moduleImport('test/support/http-tools.ts', '{ httpTools }')}
const sources = ${server === undefined ? '{}' : `{ http: httpTools(${JSON.stringify(server.url)}, ${JSON.stringify(tools)}) }`};
export default modelAgent({ sources, approver: null, memory: null, ${parts} });`;
  const agent: AgentPlan = { ...DEFAULT_PLAN, ...plan, models };
  return bench(source, { ...config, agent }, directory, clock === undefined ? {} : { clock });
}

function moduleImport(path: string, what: string): string {
  return `import ${what} from ${JSON.stringify(pathToFileURL(join(REPOSITORY, path)).href)};`;
}

/** Handles one event to its end; gives what it replied. */
export async function turnOf(of: Bench, payload = 'go'): Promise<string> {
  const eventId = await of.trigger(payload);
  await of.until('the end of the turn', isIdle);
  const result = (await of.entries()).findLast(
    ({ entry_type, data }) => entry_type === 'invocation_result' && data['event_id'] === eventId,
  );
  if (result === undefined) throw new Error(`it failed: ${JSON.stringify(of.process.snapshot.lastError)}`);
  return textAt(result.data, 'response');
}

/** How often each effect was announced and how it ended, in order. */
export function effectsIn(entries: readonly StoredEntry[]): readonly string[] {
  return entries.flatMap(({ entry_type, data }) => {
    if (entry_type === 'effect_started')
      return [`${textAt(data, 'name')}#${numberAt(data, 'occurrence')} begins`];
    if (entry_type !== 'effect_finished') return [];
    const id = textAt(data, 'effect_id');
    return [`${id.slice(id.indexOf('/') + 1)} ${textAt(data, 'end')}`];
  });
}
