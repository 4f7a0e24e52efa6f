// Which tools a turn is offered where sources want the same place, and what odd names do.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listTools } from '../../core/agent/llm/list-tools.ts';
import { turnParts } from '../../core/agent/llm/parts.ts';
import { DEFAULT_PLAN, type AgentPlan } from '../../core/model/agent-plan.ts';
import { hostile, mcpBench } from '../support/mcp.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { wireModel } from '../support/turns.ts';
import { countingServer, startWhole, writeWhole } from '../support/whole-agents.ts';
import { call, steps } from '../support/wire-model.ts';
import type { WireQuestion } from '../support/wire-forms.ts';

const SLOW = { timeout: 60_000 };
const ANY = { type: 'object' };

test('no server takes the name, or the room, of what the agent has by itself', SLOW, async () => {
  const toolsIn = join(tempDirectory(), 'tools.json');
  const bench = mcpBench({ bad: hostile({ toolsIn }) });
  const sources = Object.values({ ...turnParts().sources, mcp: bench.source });
  const listed = async (others: readonly object[]): Promise<readonly string[]> => {
    writeFileSync(toolsIn, JSON.stringify([{ name: 'ask_human', inputSchema: ANY }, ...others]));
    const { offers, problems } = await listTools(bench.turn, sources);
    expect(offers.filter(({ name }) => name === 'ask_human')).toMatchObject([{ source: 'people' }]);
    return problems;
  };
  expect(await listed([])).toEqual(['"ask_human" of mcp:bad is left out: people has one of the same name']);
  const many = Array.from({ length: 200 }, (_, at) => ({ name: `a${at}`, inputSchema: ANY }));
  expect(await listed(many)).toEqual([
    '73 tools are left out: 128 are the most. Disable what it needs not',
    expect.stringMatching(/^"a\d+" of mcp:bad is left out: there are more than 128 tools$/),
  ]);
});

test(
  'what may not be undone is asked for wherever its manifest names it, whatever class it has',
  SLOW,
  async () => {
    const approval = { ...DEFAULT_PLAN.approval, asksForIrreversible: true };
    const tools = { echo: { class: 'retry' }, env: { class: 'retry' } } as const;
    const listed = async (plan: Partial<AgentPlan>): Promise<readonly string[]> => {
      const bench = mcpBench({ bad: hostile() }, { plan: { tools, irreversibleTools: ['echo'], ...plan } });
      const { offers } = await listTools(bench.turn, [bench.source]);
      return offers.filter(({ asks }) => asks).map(({ name }) => name);
    };
    expect(await listed({})).toEqual([]);
    const asked = await listed({ approval });
    expect(asked).toEqual(expect.arrayContaining(['echo', 'die']));
    expect(asked).not.toContain('env');
  },
);

const resultsIn = ({ turns }: WireQuestion): readonly string[] =>
  turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));

test('names that every object knows are names like others, for tools and for servers', SLOW, async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const workspace = writeWhole(
    {},
    { 'tools.json': JSON.stringify(names.map((name) => ({ name, inputSchema: ANY }))) },
  );
  const calls = names.map((name, at) => call(`c${at}`, name, { at }));
  const model = await wireModel(steps({ calls }, { text: 'done' }));
  const tools = Object.fromEntries(names.map((name) => [name, { class: 'retry' }]));
  writeWhole(
    {
      model: model.name('chat'),
      servers: { constructor: countingServer({ toolsIn: 'tools.json' }) },
      holdfast: { tools },
    },
    {},
    workspace,
  );
  const w = await startWhole(workspace);
  expect(await w.turn()).toBe('done');
  expect(resultsIn(model.asked[1]!.question)).toEqual(names.map((_, at) => JSON.stringify({ at })));
  expect(w.calls().toSorted()).toEqual(names.map((name, at) => `${name} {"at":${at}}`).toSorted());
  const again = await w.again();
  expect(again.process.snapshot).toMatchObject({ invocationCount: 1, lastError: null });
});
