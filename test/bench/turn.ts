// What the loop itself takes for the turn of an agent, three calls of a model that answers at once and two of a tool that does
// nothing: everything that is durable about it, from the event to its result. Beside LangGraph with the same turn.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { DEFAULT_PLAN } from '../../core/model/agent-plan.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { rawAppend } from './limits.ts';
import { describeMachine } from './machine.ts';
import { OURS } from './our-runtime.ts';
import { loadLangGraph, type LangGraph, type ScriptedTurn } from './peers/langgraph.ts';
import { atMost, measured, spread, type BenchResult, type Judgement } from './result.ts';
import { sized, takeTurns, type Contender } from './rounds.ts';
import { RESULT } from './turn-agent.ts';
import { workDirectory } from './work-directory.ts';

const AGENT = 'agent';
const AGENT_MODULE = fileURLToPath(new URL('turn-agent.ts', import.meta.url));
const TURNS = sized(100, 3);
const UNIT = 'ms/turn';
const COMMITS = 'commits/s';
const D1 = 'D1: one 300-byte line, fdatasync';
const PEER = 'LangGraph SqliteSaver forced FULL';
const MODEL_CALLS = 3;
const TOOL_CALLS = 2;

const ASKED = 'How is the weather, and how many birds are there?';
/** In one piece: a model that answers at once does not speak word for word. */
const SAID = 'I-look-at-it-first,-and-then-I-say-how-it-is.';
const SCRIPT = [
  ...Array.from({ length: TOOL_CALLS }, (_, at) => ({
    text: SAID,
    tool_calls: [{ tool: 'look', args: { at: `place ${at}` } }],
  })),
  { text: SAID },
];

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  const langGraph = await loadLangGraph();
  await using ours = await ourAgent(work.path);
  const rounds = await takeTurns([
    () => ({ [D1]: rawAppend(work.path, { lines: sized(2_000, 50), batch: 1, isSynced: true }) }),
    ours.contender,
    ...(langGraph === null ? [] : [peer(work.path, langGraph)]),
  ]);
  const peers = rounds(PEER);
  const limits = { [D1]: spread(rounds(D1), COMMITS) };
  const line = (name: string, judgement: Judgement = {}) => measured(name, rounds(name), UNIT, judgement);
  return {
    bench: 'turn',
    at,
    machine: describeMachine(),
    limits,
    results:
      peers.length === 0
        ? [line(OURS)]
        : [line(OURS, { to: [PEER, spread(peers, UNIT)], target: atMost(1) }), line(PEER)],
  };
}

/** One process with a worker that is warm, everything as it is shipped. */
async function ourAgent(directory: string): Promise<AsyncDisposable & { readonly contender: Contender }> {
  writeFileSync(join(directory, 'script.yaml'), JSON.stringify({ turns: SCRIPT }));
  const journal = openFileJournal(join(directory, 'journal'));
  let look: () => void = () => {};
  const runtime = runtimeOn(journal, {
    definitions: [
      {
        name: AGENT,
        description: '',
        entrypoint: AGENT_MODULE,
        directory,
        // Each turn is one of its own, as it is for whoever it is compared with.
        config: {
          ...DEFAULT_PROCESS_CONFIG,
          conversationMaxMessages: 2,
          agent: { ...DEFAULT_PLAN, models: ['scripted:script.yaml'], hasHistory: false },
        },
        configHash: 'bench',
        codeHash: 'bench',
      },
    ],
    onChange: () => look(),
  });
  await runtime.start();
  const process = runtime.process(AGENT);
  const turn = async (): Promise<void> => {
    const before = process.snapshot.invocationCount;
    await process.trigger(ASKED);
    await new Promise<void>((resolve, reject) => {
      look = () => {
        const why = trouble(process);
        if (why !== null) reject(new Error(why));
        else if (process.snapshot.invocationCount > before) resolve();
      };
      look();
    });
  };
  await turn();
  return {
    contender: async () => {
      const start = performance.now();
      for (let count = 0; count < TURNS; count += 1) await turn();
      return { [OURS]: (performance.now() - start) / TURNS };
    },
    [Symbol.asyncDispose]: async () => {
      const { invocationCount, budget } = process.snapshot;
      await runtime.quit();
      const results = await journal.read(AGENT, { entryType: 'invocation_result' });
      await journal.close();
      const isWhole = results.every(({ data }) => data['response'] === SAID);
      const effects = budget.spent.modelTurns === invocationCount * MODEL_CALLS;
      const tools = budget.spent.toolCalls === invocationCount * TOOL_CALLS;
      if (!isWhole || results.length !== invocationCount || !effects || !tools) {
        throw new Error(`The turns were not as they should be: ${JSON.stringify(budget.spent)}`);
      }
    },
  };
}

function trouble({ name, snapshot, live }: AgentProcess): string | null {
  const why = live.trouble?.message ?? snapshot.holds[0]?.reason ?? snapshot.lastError?.message;
  return why === undefined ? null : `${name} does not go on: ${why}`;
}

let files = 0;

function peer(directory: string, langGraph: LangGraph): Contender {
  const turn: ScriptedTurn = {
    modelCalls: MODEL_CALLS,
    asked: ASKED,
    said: SAID,
    model: async () => {},
    tool: async () => RESULT,
  };
  return async () => {
    files += 1;
    const seconds = await langGraph.turns(join(directory, `turns-${files}.sqlite`), 'full', TURNS, turn);
    return { [PEER]: (seconds * 1_000) / TURNS };
  };
}
