// A process of DBOS that runs its workflows. Like every program that uses it, it goes on with what it left by itself.

import { createRequire } from 'node:module';
import { performerOf, STEP, type Order } from '../steps.ts';
import { sdkStart, serveSdk } from './sdk-worker.ts';

export interface DbosStart {
  /** From where its packages are found. */
  readonly manifest: string;
  readonly databaseUrl: string;
}

export type DbosRequest =
  /** Answered with the seconds that they took, all begun at once. */
  | { readonly type: 'run'; readonly orders: readonly Order[] }
  /** Answered when the workflow of this ledger has ended. */
  | { readonly type: 'wait'; readonly ledger: string }
  /** Answered with the number of its steps that are on record. */
  | { readonly type: 'count'; readonly ledger: string };

interface Handle {
  getResult(options?: { readonly pollingIntervalMs: number }): Promise<number>;
}

interface Dbos {
  setConfig(config: Readonly<Record<string, string>>): void;
  launch(): Promise<void>;
  registerWorkflow(
    workflow: (order: Order) => Promise<number>,
    config: { readonly name: string },
  ): (order: Order) => Promise<number>;
  runStep<T>(step: () => Promise<T>, config: { readonly name: string }): Promise<T>;
  startWorkflow(
    workflow: (order: Order) => Promise<number>,
    params: { readonly workflowID: string },
  ): (order: Order) => Promise<Handle>;
  retrieveWorkflow(id: string): Handle;
  listWorkflowSteps(id: string): Promise<readonly unknown[] | undefined>;
}

const { manifest, databaseUrl } = sdkStart<DbosStart>();
const { DBOS } = createRequire(manifest)('@dbos-inc/dbos-sdk') as { readonly DBOS: Dbos };

const workflow = DBOS.registerWorkflow(
  async (order) => {
    using performer = performerOf(order);
    for (let step = 0; step < order.steps; step += 1) {
      await DBOS.runStep(() => performer.perform(step), { name: STEP });
    }
    return order.steps;
  },
  { name: 'steps' },
);

async function answer(request: DbosRequest): Promise<number> {
  switch (request.type) {
    case 'run': {
      const start = performance.now();
      await Promise.all(request.orders.map(carryOut));
      return (performance.now() - start) / 1000;
    }
    case 'wait':
      return DBOS.retrieveWorkflow(request.ledger).getResult({ pollingIntervalMs: 20 });
    case 'count':
      return (await DBOS.listWorkflowSteps(request.ledger))?.length ?? 0;
  }
}

async function carryOut(order: Order): Promise<void> {
  const handle = await DBOS.startWorkflow(workflow, { workflowID: order.ledger })(order);
  await handle.getResult();
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: databaseUrl, logLevel: 'error' });
await DBOS.launch();
serveSdk(answer);
