// What an agent in open mode may do to itself, as tools. Nothing is done here: the host is asked, inside the call's own effect
// and with its key, so that it is done once whatever happens between [P2]; and it is the host that says what is allowed.

import { AppError } from '../../model/errors.ts';
import { isSelfAction } from '../../model/self-actions.ts';
import { ownOffer } from '../llm/own-offer.ts';
import type { ToolOffer, ToolSource } from '../llm/tool.ts';
import { SELF_TOOLS, type SelfTool } from './self-offers.ts';

const NO_TOOLS =
  'Tools can not be created at run time: code that an agent writes would run with all that its worker may do, since nothing here holds it off the network. Ask an operator for a tool server, or connect one where that is allowed.';

/** Offers nothing in strict mode. */
export function selfTools(): ToolSource {
  return {
    list: async ({ plan }) => ({
      offers: plan.open === null ? [] : SELF_TOOLS.filter(({ may }) => may(plan.open!)).map(offerOf),
      problems: [],
    }),
    call: async (turn, { tool }, { args, key }) => {
      if (tool === 'create_tool') return { text: NO_TOOLS, isError: true };
      if (!isSelfAction(tool)) return { text: `There is no tool ${tool}.`, isError: true };
      const answer = await turn.askHost({ key, action: tool, args });
      if (answer.ok) return { text: answer.text, isError: false };
      if (answer.isRefused) return { text: answer.message, isError: true };
      // Nobody can say how far it came; asked again with its key, the host knows.
      throw new AppError(answer.code, answer.message);
    },
    close: async () => {},
  };
}

function offerOf({ name, description, properties, required, changes }: SelfTool): ToolOffer {
  const effectClass = changes ? 'idempotent' : 'retry';
  const said = { name, description, source: 'self', how: 'effect', class: effectClass } as const;
  return ownOffer(said, properties, required);
}
