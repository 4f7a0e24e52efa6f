// An agent in open mode whose worker calls its tools as it is told to, through the real tools and the real host.

import { resolve } from 'node:path';
import { DEFAULT_PLAN, type AgentPlan, type OpenPlan } from '../../core/model/agent-plan.ts';
import type { Json } from '../../core/model/json.ts';

export const OPEN: OpenPlan = {
  mayChangeInstructions: true,
  mayManageTriggers: true,
  mayConnectServers: true,
  mayManageMemory: true,
  maySpawn: true,
  maxInstructionLength: 1_000,
  maxTriggers: 3,
  maxSpawned: 3,
  maxRebuilds: null,
  allowedUrls: [],
};

export function openPlan(open: Partial<OpenPlan> | null = {}, more: Partial<AgentPlan> = {}): AgentPlan {
  return {
    ...DEFAULT_PLAN,
    models: ['scripted:none.yaml'],
    open: open === null ? null : { ...OPEN, ...open },
    ...more,
  };
}

/** One call of a tool. */
export interface Call {
  readonly tool: string;
  readonly args?: Json;
}

const TOOLS = resolve(import.meta.dirname, '../../core/agent/self/self-tools.ts');

/**
 * Its payload is `{ calls }`, or the task that it was begun for as JSON of that; what the tools answered is its state
 * `answers`, and what it was told to do `instructions`. `work` is done as so many effects, each a line in the ledger.
 */
export const OPEN_AGENT = `
import { selfTools } from ${JSON.stringify(TOOLS)};
const source = selfTools();
export default defineAgent({
  async onTrigger(ctx, event, run) {
    const turn = { ...run, ctx, event };
    const payload = event.payload?.data?.task === undefined ? event.payload : JSON.parse(event.payload.data.task);
    if (payload?.event_type !== undefined) {
      await ctx.state.set('heard', [...(ctx.state.get('heard') ?? []), payload]);
      return 'heard';
    }
    const { offers } = await run.listed(() => source.list(turn));
    const answers = [];
    for (const { tool, args = {} } of payload?.calls ?? []) {
      const offer = offers.find(({ name }) => name === tool);
      if (offer === undefined) {
        answers.push({ text: 'no such tool', isError: true });
        continue;
      }
      answers.push(await ctx.effect(offer.name, { class: offer.class, args }, ({ args, key, attempt, signal }) =>
        source.call(turn, offer, { args, key, attempt, signal })));
    }
    for (let step = 0; step < (payload?.work ?? 0); step += 1) {
      await ctx.effect('work', { class: 'idempotent' }, async () => { note(ctx.process); return null; });
    }
    if (payload?.fail !== undefined) throw new TerminalError(payload.fail);
    await ctx.state.set('answers', answers);
    await ctx.state.set('told', ctx.instructions);
    await ctx.state.set('offers', offers.map(({ name }) => name));
    await ctx.state.set('servers', Object.keys(run.plan?.servers ?? {}));
    return 'done';
  },
});
`;
