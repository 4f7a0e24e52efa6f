// LangGraph JS with its SqliteSaver, as far as a benchmark looks at it.

import { peerPackages } from './install.ts';

interface Database {
  pragma(text: string): unknown;
  prepare(sql: string): { get(...args: unknown[]): unknown };
  close(): void;
}

interface Checkpoint {
  readonly id: string;
  readonly channel_values: Readonly<Record<string, unknown>>;
}

interface Config {
  readonly configurable: Readonly<Record<string, string>>;
}

interface SqliteSaver {
  readonly db: Database;
  /** Makes the tables; whoever changes a setting of the connection does so behind it. */
  setup(): void;
  put(config: Config, checkpoint: Checkpoint, metadata: object): Promise<Config>;
}

interface Graph {
  invoke(
    input: object,
    options: Config & { recursionLimit: number; durability: 'sync' },
  ): Promise<{ readonly messages: readonly string[] }>;
}

interface GraphBuilder {
  addNode(name: string, node: (state: never) => object | Promise<object>): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  addConditionalEdges(from: string, next: (state: never) => string): GraphBuilder;
  compile(options: { checkpointer: SqliteSaver }): Graph;
}

interface Packages {
  readonly SqliteSaver: { fromConnString(path: string): SqliteSaver };
  readonly emptyCheckpoint: () => Checkpoint;
  readonly uuid6: (clock: number) => string;
  readonly Annotation: {
    (channel: { reducer: (a: string[], b: string[]) => string[]; default: () => string[] }): unknown;
    Root(channels: object): unknown;
  };
  readonly StateGraph: new (state: unknown) => GraphBuilder;
  readonly START: string;
  readonly END: string;
}

/** As it is shipped it syncs at its own checkpoints only; `full` makes it sync at each commit. */
export type Synchronous = 'shipped' | 'full';

export interface LangGraph {
  /** Puts that many checkpoints of a state of this text; gives the seconds that it took. */
  put(path: string, synchronous: Synchronous, count: number, text: string): Promise<number>;
  /** Runs a loop of one node that appends this text to the state each time; gives the seconds that it took. */
  steps(path: string, synchronous: Synchronous, count: number, text: string): Promise<number>;
  /** Handles so many events, each in a thread of its own, with the turn; gives the seconds that it took. */
  turns(path: string, synchronous: Synchronous, count: number, turn: ScriptedTurn): Promise<number>;
}

/** An agent's turn: calls of a model, each but the last followed by that of a tool. */
export interface ScriptedTurn {
  readonly modelCalls: number;
  readonly asked: string;
  /** What the model says before a call of the tool, and in the end. */
  readonly said: string;
  readonly model: () => Promise<void>;
  readonly tool: () => Promise<string>;
}

/** Null, having said why, where it can't be installed. */
export async function loadLangGraph(): Promise<LangGraph | null> {
  const load = await peerPackages('LangGraph');
  if (load === null) return null;
  const packages: Packages = {
    ...(load('@langchain/langgraph-checkpoint-sqlite') as Pick<Packages, 'SqliteSaver'>),
    ...(load('@langchain/langgraph-checkpoint') as Pick<Packages, 'emptyCheckpoint' | 'uuid6'>),
    ...(load('@langchain/langgraph') as Omit<Packages, 'SqliteSaver' | 'emptyCheckpoint' | 'uuid6'>),
  };
  return {
    put: (path, synchronous, count, text) =>
      withSaver(packages, path, synchronous, async (saver) => {
        let config: Config = { configurable: { thread_id: 'agent', checkpoint_ns: '' } };
        const start = performance.now();
        for (let step = 0; step < count; step += 1) {
          const checkpoint = {
            ...packages.emptyCheckpoint(),
            id: packages.uuid6(step),
            channel_values: { text },
          };
          config = await saver.put(config, checkpoint, { source: 'loop', step, parents: {} });
        }
        const seconds = (performance.now() - start) / 1000;
        expectRows(saver.db, count);
        return seconds;
      }),
    steps: (path, synchronous, count, text) =>
      withSaver(packages, path, synchronous, async (saver) => {
        const graph = loopOf(packages, saver, count, text);
        const options = {
          configurable: { thread_id: 'agent' },
          recursionLimit: count + 2,
          durability: 'sync' as const,
        };
        const start = performance.now();
        const { messages } = await graph.invoke({ messages: [] }, options);
        const seconds = (performance.now() - start) / 1000;
        if (messages.length !== count)
          throw new Error(`LangGraph made ${messages.length} of ${count} steps.`);
        // One for the input, one before the first step.
        expectRows(saver.db, count + 2);
        return seconds;
      }),
    turns: (path, synchronous, count, turn) =>
      withSaver(packages, path, synchronous, async (saver) => {
        const graph = turnOf(packages, saver, turn);
        const start = performance.now();
        for (let at = 0; at < count; at += 1) {
          const options = {
            configurable: { thread_id: `agent-${at}` },
            recursionLimit: 4 * turn.modelCalls,
            durability: 'sync' as const,
          };
          const { messages } = await graph.invoke({ messages: [turn.asked] }, options);
          if (messages.length !== 2 * turn.modelCalls)
            throw new Error(`LangGraph has ${messages.length} messages after a turn.`);
        }
        const seconds = (performance.now() - start) / 1000;
        // One for the input, one before the first step, and one for each.
        expectRows(saver.db, count * (2 * turn.modelCalls + 1));
        return seconds;
      }),
  };
}

/** The graph that its documentation has for an agent with tools, with messages that are plain texts. */
function turnOf(
  { Annotation, StateGraph, START, END }: Packages,
  checkpointer: SqliteSaver,
  { modelCalls, said, model, tool }: ScriptedTurn,
): Graph {
  const messages = Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] });
  return new StateGraph(Annotation.Root({ messages }))
    .addNode('model', async () => {
      await model();
      return { messages: [said] };
    })
    .addNode('tool', async () => ({ messages: [await tool()] }))
    .addEdge(START, 'model')
    .addConditionalEdges('model', (state: { messages: readonly string[] }) =>
      state.messages.length >= 2 * modelCalls ? END : 'tool',
    )
    .addEdge('tool', 'model')
    .compile({ checkpointer });
}

function loopOf(
  { Annotation, StateGraph, START, END }: Packages,
  checkpointer: SqliteSaver,
  count: number,
  text: string,
): Graph {
  const messages = Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] });
  return new StateGraph(Annotation.Root({ messages }))
    .addNode('step', () => ({ messages: [text] }))
    .addEdge(START, 'step')
    .addConditionalEdges('step', (state: { messages: readonly string[] }) =>
      state.messages.length >= count ? END : 'step',
    )
    .compile({ checkpointer });
}

async function withSaver<T>(
  { SqliteSaver }: Packages,
  path: string,
  synchronous: Synchronous,
  use: (saver: SqliteSaver) => Promise<T>,
): Promise<T> {
  const saver = SqliteSaver.fromConnString(path);
  try {
    saver.setup();
    if (synchronous === 'full') saver.db.pragma('synchronous = FULL');
    return await use(saver);
  } finally {
    saver.db.close();
  }
}

function expectRows(db: Database, expected: number): void {
  const { rows } = db.prepare('SELECT count(*) AS rows FROM checkpoints').get() as { rows: number };
  if (rows !== expected) throw new Error(`LangGraph stored ${rows} checkpoints of ${expected}.`);
}
