// What a host of the sweep over a turn is told to do, and the turn.

import type { HttpTool } from './http-tools.ts';
import type { KillPlace } from './killing-disk.ts';
import type { ServedTool } from './tool-server.ts';
import type { WireAnswer, WireForm, WireQuestion } from './wire-forms.ts';
import { call, stepOf } from './wire-model.ts';

export type Victim = 'worker' | 'host' | 'both';

export interface TurnOrder {
  readonly directory: string;
  readonly model: string;
  readonly tools: string;
  /** Whether they are reached by a real server over MCP, and all of the agent is what a manifest's is. */
  readonly isMcp: boolean;
  /** Null for a host that kills nobody; others may, from outside. */
  readonly kill: { readonly victim: Victim; readonly at: KillPlace } | null;
}

export const TURN_AGENT = 'turn';
export const FORM: WireForm = 'chat';

/** Five tools, of every class, two of them called at once. */
export const TURN_TOOLS: Readonly<Record<string, HttpTool>> = {
  look: { class: 'retry' },
  mail: { class: 'ask' },
  charge: { class: 'idempotent', keyArgument: 'key' },
  order: { class: 'reconcile' },
  file: { class: 'ask' },
};

export const TURN_ACTS: Readonly<Record<string, ServedTool['act']>> = Object.fromEntries(
  Object.keys(TURN_TOOLS).map((name) => [name, () => `${name} is done`]),
);

/** Five answers: what the last one says depends on every result before it. */
export function turnAnswer(question: WireQuestion): WireAnswer {
  const results = question.turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));
  switch (stepOf(question)) {
    case 0:
      return { text: 'I look first.', calls: [call('c1', 'look', { at: 'north' })] };
    case 1:
      return { calls: [call('c2', 'mail', { to: 'ada' }), call('c3', 'charge', { amount: 7 })] };
    case 2:
      return { text: 'Now the order.', calls: [call('c4', 'order', { of: 'ink' })] };
    case 3:
      return { calls: [call('c5', 'file', { as: 'done' })] };
    default:
      return { text: `All is done: ${results.join(', ')}.` };
  }
}
