// The agent that a manifest without code describes: asks its model about each trigger event.

import { AppError } from '../../model/errors.ts';
import { DidNotHappen } from '../effect-errors.ts';
import type { RunnableAgent } from '../run-invocation.ts';
import type { Turn } from './tool.ts';

export function modelAgent(): RunnableAgent {
  return {
    onTrigger: (ctx, event, run) => {
      if (run.plan === null) throw noPlan(ctx.process);
      return onTurn({ ...run, ctx, event, plan: run.plan });
    },
  };
}

function noPlan(process: string): AppError {
  return new AppError(
    'agent.no-plan',
    `${process} has neither code nor a plan in what was recorded when this invocation began. Put back its entrypoint, then force-recover.`,
    { process },
  );
}

async function onTurn({ ctx, event, plan, workspace }: Turn): Promise<string> {
  const { callModel } = await import('../models/call-model.ts');
  const { KEY_NAMES, openModel } = await import('../models/open-model.ts');
  const asked = JSON.stringify(event.payload);
  const model = plan.models[0]!;
  const answer = await ctx.effect('model', { class: 'idempotent', model, args: { asked } }, async (call) => {
    const provider = model.slice(0, model.indexOf(':'));
    const names = Object.hasOwn(KEY_NAMES, provider) ? KEY_NAMES[provider as keyof typeof KEY_NAMES] : [];
    const keys: Record<string, string> = {};
    for (const name of names) keys[name] = await ctx.secret(name);
    const opened = await openModel(model, { keys, directory: workspace, timeoutMs: plan.modelTimeoutMs });
    try {
      const { text, usage } = await callModel({
        models: [opened],
        prompt: {
          messages: [
            { role: 'system', content: ctx.instructions },
            { role: 'user', content: [{ type: 'text', text: asked }] },
          ],
        },
        signal: call.signal,
      });
      call.used(usage);
      return { text };
    } catch (error) {
      if (error instanceof AppError && error.detail['maybePaid'] === 0) throw new DidNotHappen(error.message);
      throw error;
    }
  });
  return answer.text;
}
