// DBOS on PostgreSQL, both as they are shipped.

import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../core/model/errors.ts';
import { leaveOut } from '../rounds.ts';
import { killAndResume, type StepRunner } from '../step-runner.ts';
import type { Order } from '../steps.ts';
import type { DbosRequest, DbosStart } from './dbos-worker.ts';
import { peerManifest, peerPackages } from './install.ts';
import { startPostgres } from './postgres.ts';
import { SdkProcess } from './sdk-process.ts';

export const DBOS = 'DBOS';
const SCRIPT = fileURLToPath(new URL('dbos-worker.ts', import.meta.url));

/** Null, having said why, where it can't be had. */
export async function startDbos(): Promise<StepRunner | null> {
  if ((await peerPackages(DBOS)) === null) return null;
  const stack = new AsyncDisposableStack();
  try {
    const runner = await start(stack);
    return { ...runner, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    leaveOut(`DBOS is left out: ${messageOf(error)}`);
    return null;
  }
}

async function start(stack: AsyncDisposableStack): Promise<Omit<StepRunner, keyof AsyncDisposable>> {
  const postgres = stack.use(await startPostgres());
  const begin: DbosStart = { manifest: peerManifest, databaseUrl: postgres.url('bench') };
  const sdk = new SdkProcess(SCRIPT, begin);
  stack.defer(() => sdk.end());
  await sdk.start();

  const ask = (request: DbosRequest): Promise<number> => sdk.ask(request);
  const expectOnRecord = async ({ ledger, steps }: Order): Promise<void> => {
    const count = await ask({ type: 'count', ledger });
    if (count !== steps) throw new Error(`DBOS has ${count} steps of ${steps} on record.`);
  };
  return {
    run: async (orders) => {
      const seconds = await ask({ type: 'run', orders });
      for (const order of orders) await expectOnRecord(order);
      return seconds;
    },
    resume: (order) =>
      killAndResume(order, {
        who: DBOS,
        begun: ask({ type: 'run', orders: [order] }),
        restarted: () => sdk.restart(),
        ended: async () => {
          await ask({ type: 'wait', ledger: order.ledger });
          await expectOnRecord(order);
        },
      }),
  };
}
