// What is remembered around a turn: recalled before it, and kept after it where the manifest says so.

import { MEMORY_EFFECTS } from '../../model/agent-plan.ts';
import { messageOf } from '../../model/errors.ts';
import { EffectFailed } from '../effect-errors.ts';
import type { TurnMemory } from '../llm/tool.ts';
import { recall, remember } from './remember.ts';
import { rememberedText } from './remembered-text.ts';

/** Of what was asked, and of what was answered. */
const MAX_HALF = 4_000;

export function turnMemory(): TurnMemory {
  return {
    recall: async (turn, text) => {
      const { memory } = turn.plan;
      if (memory === null || memory.max === 0) return null;
      const asked = { name: MEMORY_EFFECTS.recall, text, max: memory.max, withPinned: true };
      return rememberedText(await recall(turn, memory, asked));
    },
    store: async (turn, asked, reply) => {
      const { memory } = turn.plan;
      if (memory === null || !memory.isStoredByItself || reply.trim() === '') return;
      const text = `Asked: ${half(asked)}\nAnswered: ${half(reply)}`;
      try {
        await remember(turn, memory, { name: MEMORY_EFFECTS.store, by: 'turn', text });
      } catch (error) {
        // The turn is done; that it is not remembered is on record, and no reason to do it again.
        if (!(error instanceof EffectFailed)) throw error;
        turn.ctx.log(`This turn is not remembered: ${messageOf(error)}`, 'warning');
      }
    },
  };
}

function half(text: string): string {
  const whole = text.trim();
  return whole.length <= MAX_HALF ? whole : `${whole.slice(0, MAX_HALF).toWellFormed()}…`;
}
