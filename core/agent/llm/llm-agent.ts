// The agent that a manifest without code describes: it asks its model about each trigger event, does what that asks for with
// tools, and goes on until it answers without.
//
// 1. Every call of a model and of a tool is an effect: after a crash what is recorded is not paid or run again [P2, S33].
// 2. What it does depends on its context, its plan and recorded outcomes, and on nothing else [S25].
// 3. A turn has so many calls of a model. The last of them may use no tools, so that it ends with an answer.

import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { LOOP_EFFECTS } from '../../model/agent-plan.ts';
import { AppError } from '../../model/errors.ts';
import type { ModelPrompt } from '../models/model-prompt.ts';
import type { RunnableAgent } from '../run-invocation.ts';
import type { ModelAnswer } from '../models/call-model.ts';
import { askModel } from './ask-model.ts';
import { cutText } from './clean-text.ts';
import { tokensOf } from './estimate-tokens.ts';
import { fittingHistory } from './compact-history.ts';
import { fitExchange } from './fit-exchange.ts';
import { listTools, modelToolOf } from './list-tools.ts';
import { turnParts, type TurnParts } from './parts.ts';
import { fenceOf } from './payload-message.ts';
import { promptSettings } from './prompt-settings.ts';
import { skeletonOf } from './skeleton.ts';
import { runTools } from './run-tools.ts';
import type { ToolList, ToolSource, Turn } from './tool.ts';
import { openingOf, userMessage, userText, type Opening } from './turn-prompt.ts';

export function modelAgent(parts: TurnParts = turnParts()): RunnableAgent {
  return {
    onTrigger: (ctx, event, run) => {
      if (run.plan === null) throw noPlan(ctx.process);
      return onTurn({ ...run, ctx, event, plan: run.plan }, parts);
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

/** In characters: what it says is in every prompt behind it. */
const MAX_REPLY = 200_000;

async function onTurn(turn: Turn, parts: TurnParts): Promise<string> {
  const { ctx } = turn;
  const asked = userText(turn);
  const tools = await listTools(turn, Object.values(parts.sources));
  const recalled = (await parts.memory?.recall(turn, asked)) ?? null;
  const history = turn.plan.hasHistory
    ? await fittingHistory(turn, ctx.conversation.messages(), fenceOf(ctx))
    : [];
  const opening = openingOf(turn, { asked, tools, history, recalled });
  const reply = cutText(await answerOf(turn, parts, tools, opening), MAX_REPLY);
  await ctx.conversation.append({ role: 'user', content: asked });
  await ctx.conversation.append({ role: 'assistant', content: reply });
  await parts.memory?.store(turn, asked, reply);
  return reply;
}

const CLOSING =
  'That was the last call of a tool in this turn. Answer now, in words, with what you have: what was done, and what is left to do.';

/** The loop: asks, does what is asked for, and asks again. */
async function answerOf(turn: Turn, parts: TurnParts, list: ToolList, opening: Opening): Promise<string> {
  const { plan, ctx } = turn;
  const tools = list.offers.map(modelToolOf);
  const about = skeletonOf(opening.recorded);
  const before = tokensOf(opening.messages);
  const settings = promptSettings(turn);
  const exchange: LanguageModelV4Message[] = [];
  for (let step = 1; ; step += 1) {
    const isLast = step >= plan.maxSteps;
    if (isLast && step > 1) exchange.push(userMessage(CLOSING));
    const fitted = fitExchange(exchange, before, plan.compactAboveTokens);
    const prompt: ModelPrompt = {
      ...settings,
      messages: [...opening.messages, ...fitted],
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: isLast ? 'none' : 'auto' } }),
    };
    const answer = await askModel(turn, { effect: LOOP_EFFECTS.model, prompt, about: about(exchange) });
    if (answer.toolCalls.length === 0) return answer.text;
    if (isLast) return closed(answer, plan.maxSteps, ctx.process);
    exchange.push(answer.message, {
      role: 'tool',
      content: await runTools({
        turn,
        tools: new Map(
          list.offers.map((offer) => [offer.name, { offer, source: sourceOf(parts, offer.source) }]),
        ),
        approver: parts.approver,
        calls: answer.toolCalls,
        said: answer.text,
      }),
    });
  }
}

/** A model that can't be kept from calling tools may at least have said something. */
function closed({ text }: ModelAnswer, maxSteps: number, process: string): string {
  if (text.trim() !== '') return text;
  throw new AppError(
    'agent.too-many-steps',
    `${process} asked its model ${maxSteps} times and has no answer: it only calls more tools. Let it have more steps, or give it less to do at once.`,
    { process, maxSteps },
  );
}

/** `mcp:files` is of the source `mcp`. */
function sourceOf({ sources }: TurnParts, source: string): ToolSource {
  const name = source.split(':', 1)[0]!;
  if (Object.hasOwn(sources, name)) return sources[name]!;
  throw new AppError(
    'agent.no-source',
    `Nothing here has the tools of ${source} that this invocation began with.`,
    {
      source,
    },
  );
}
