// A model agent whose tools are functions of this process, found by the name of the process that calls them.

import { DidNotHappen } from '../../core/agent/effect-errors.ts';
import { modelAgent } from '../../core/agent/llm/llm-agent.ts';
import type { ToolOffer, ToolSource } from '../../core/agent/llm/tool.ts';
import type { EffectClass } from '../../core/model/effects.ts';
import { ofTheLiving } from './workers-in-process.ts';

/** What becomes of a call, by the tool: done, failed by its own word, or never begun. */
const TOOLS: Readonly<
  Record<string, { readonly effectClass: EffectClass; readonly fate: 'ok' | 'error' | 'refused' }>
> = {
  read: { effectClass: 'retry', fate: 'ok' },
  pay: { effectClass: 'idempotent', fate: 'ok' },
  order: { effectClass: 'reconcile', fate: 'ok' },
  wrong: { effectClass: 'reconcile', fate: 'error' },
  never: { effectClass: 'reconcile', fate: 'refused' },
};
export const RANDOM_TOOLS = Object.keys(TOOLS);

/** What was done, by the keys of those who asked for it; one world for each process. */
export const worlds = new Map<
  string,
  Map<string, { readonly text: string; readonly isError: boolean; times: number }>
>();

const source: ToolSource = {
  list: async () => ({ offers: RANDOM_TOOLS.map(offerOf), problems: [] }),
  call: async ({ ctx }, { tool }, { args, key }) => {
    await ofTheLiving();
    const { fate } = TOOLS[tool]!;
    if (fate === 'refused') throw new DidNotHappen(`${tool} is never begun`);
    const world = worlds.get(ctx.process)!;
    const text = `${tool} of ${JSON.stringify(args)}`;
    const times = (world.get(key)?.times ?? 0) + 1;
    world.set(key, { text, isError: fate === 'error', times });
    await ofTheLiving();
    return { text, isError: fate === 'error' };
  },
  reconcile: async ({ ctx }, _, { key }) => {
    const found = worlds.get(ctx.process)!.get(key);
    if (found === undefined) return { happened: false };
    return { happened: true, result: { text: found.text, isError: found.isError } };
  },
  close: async () => {},
};

function offerOf(name: string): ToolOffer {
  return {
    name,
    description: name,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    source: 'random',
    tool: name,
    how: 'effect',
    class: TOOLS[name]!.effectClass,
    keyArgument: null,
    timeoutMs: null,
    asks: false,
    fingerprint: name,
  };
}

export default modelAgent({ sources: { random: source }, approver: null, memory: null });
