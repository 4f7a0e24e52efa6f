// A model agent with one tool, which does nothing.

import { modelAgent } from '../../core/agent/llm/llm-agent.ts';
import type { ToolOffer, ToolSource } from '../../core/agent/llm/tool.ts';

export const RESULT = 'It is warm, with a light wind from the west and three birds.';

const offer: ToolOffer = {
  name: 'look',
  description: 'Looks at a place.',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  source: 'bench',
  tool: 'look',
  how: 'effect',
  class: 'ask',
  keyArgument: null,
  timeoutMs: null,
  asks: false,
  fingerprint: 'look',
};

const source: ToolSource = {
  list: async () => ({ offers: [offer], problems: [] }),
  call: async () => ({ text: RESULT, isError: false }),
  close: async () => {},
};

export default modelAgent({ sources: { bench: source }, approver: null, memory: null });
