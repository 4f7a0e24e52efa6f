// An agent that asks a person by the very parts that a model agent asks with: a module's body for `bench` and `workspaceOf`.

import { fileURLToPath } from 'node:url';
import { DEFAULT_PLAN } from '../../core/model/agent-plan.ts';

const AT = fileURLToPath(new URL('../../core/agent/people/', import.meta.url));

/** The offer of a tool that writes a file. */
export const WRITE_FILE = {
  name: 'write_file',
  description: 'Writes a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  source: 'mcp:files',
  tool: 'write_file',
  how: 'effect',
  class: 'ask',
  keyArgument: null,
  timeoutMs: null,
  asks: true,
  fingerprint: 'f',
};

/**
 * Asks for an approval of `args` and performs the tool as an effect where it gets one; `after` is code that has `verdict`.
 * `args` is code, and may use `event`.
 */
export function approvingAgent({
  args = "{ path: 'report.txt', content: 'new\\n' }",
  plan = '{}',
  after = '',
} = {}): string {
  return `
    const { approver } = await import(${JSON.stringify(`${AT}approver.ts`)});
    const plan = { ...${JSON.stringify(DEFAULT_PLAN)}, ...${plan} };
    const turn = { ...run, ctx, event, plan, workspace: import.meta.dirname };
    const verdict = await approver(turn, ${JSON.stringify(WRITE_FILE)}, ${args}, 'the report is due');
    ${after}
    if (!verdict.isApproved) return 'not: ' + verdict.why;
    await ctx.effect('write_file', { class: 'ask', args: verdict.args }, async () => {
      const { appendFileSync } = await import('node:fs');
      appendFileSync(import.meta.dirname + '/written.txt', JSON.stringify(verdict.args) + '\\n');
      return null;
    });
    return 'written';`;
}

/** Asks a question, as a model's tool does. */
export function askingAgent(args: string): string {
  return `
    const { peopleTools } = await import(${JSON.stringify(`${AT}people-tools.ts`)});
    const plan = ${JSON.stringify(DEFAULT_PLAN)};
    const tools = peopleTools();
    const turn = { ctx, event, plan, workspace: import.meta.dirname, listed: (find) => find() };
    const { offers: [offer] } = await tools.list(turn);
    const request = { args: ${args}, key: 'k', attempt: 1, signal: new AbortController().signal };
    return JSON.stringify(await tools.call(turn, offer, request));`;
}
