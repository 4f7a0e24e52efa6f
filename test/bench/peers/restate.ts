// Restate's server and its SDK, as they are shipped but for the addresses, telemetry, and a service that is tried again
// sooner.

import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../core/model/errors.ts';
import { leaveOut, secondsOf } from '../rounds.ts';
import { killAndResume, type StepRunner } from '../step-runner.ts';
import type { Order } from '../steps.ts';
import { workDirectory } from '../work-directory.ts';
import { peerManifest, peerPackages } from './install.ts';
import type { RestateStart } from './restate-worker.ts';
import { SdkProcess } from './sdk-process.ts';
import { freePorts, LOOPBACK, startServer } from './server.ts';

export const RESTATE = 'Restate';
const SCRIPT = fileURLToPath(new URL('restate-worker.ts', import.meta.url));
/** Shipped: half a second at first, then twice that. */
export const EAGER_RETRY_MS = 10;

export interface Restate extends StepRunner {
  /** The same, but tried again after 10 ms each time. */
  readonly resumeEagerly: StepRunner['resume'];
}

/** Null, having said why, where it can't be had. */
export async function startRestate(): Promise<Restate | null> {
  const load = await peerPackages(RESTATE);
  if (load === null) return null;
  const stack = new AsyncDisposableStack();
  try {
    const restate = await start(load, stack);
    return { ...restate, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    leaveOut(`Restate is left out: ${messageOf(error)}`);
    return null;
  }
}

async function start(
  load: NodeJS.Require,
  stack: AsyncDisposableStack,
): Promise<Omit<Restate, keyof AsyncDisposable>> {
  const directory = stack.use(workDirectory());
  const [node, ingress, admin, port] = (await freePorts(4)) as [number, number, number, number];
  stack.use(
    await startServer({
      // The binary itself: its wrapper would end alone.
      command: load.resolve(
        `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
      ),
      args: ['--no-logo', '--listen-mode', 'tcp', '--node-name', 'bench', '--base-dir', directory.path],
      env: {
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_BIND_ADDRESS: `${LOOPBACK}:${node}`,
        RESTATE_ADVERTISED_ADDRESS: url(node),
        RESTATE_INGRESS__BIND_ADDRESS: `${LOOPBACK}:${ingress}`,
        RESTATE_INGRESS__ADVERTISED_ADDRESS: url(ingress),
        RESTATE_ADMIN__BIND_ADDRESS: `${LOOPBACK}:${admin}`,
        RESTATE_ADMIN__ADVERTISED_ADDRESS: url(admin),
      },
      isReady: async () => (await isWell(url(admin, '/health'))) && isWell(url(ingress, '/restate/health')),
      stopSignal: 'SIGTERM',
    }),
  );
  const names = { shipped: 'steps', eager: 'eagerSteps' };
  const begin: RestateStart = { manifest: peerManifest, port, ...names, eagerRetryMs: EAGER_RETRY_MS };
  const sdk = new SdkProcess(SCRIPT, begin);
  stack.defer(() => sdk.end());
  await sdk.start();
  await post(url(admin, '/deployments'), { uri: url(port) });

  const carryOut = async (service: string, order: Order): Promise<string> => {
    const { value, id } = await post(url(ingress, `/${service}/run`), order);
    if (value !== order.steps) throw new Error(`It went through ${String(value)} of ${order.steps} steps.`);
    return id;
  };
  const expectOnRecord = async ({ steps }: Order, id: string): Promise<void> => {
    const query = `SELECT count(*) AS steps FROM sys_journal WHERE id = '${id}' AND entry_type = 'Command: Run'`;
    const { value } = await post(url(admin, '/query'), { query });
    const [found] = (value as { readonly rows: readonly { readonly steps: number }[] }).rows;
    if (found?.steps !== steps) throw new Error(`Restate has ${found?.steps} steps of ${steps} on record.`);
  };
  const resume = (service: string, order: Order): ReturnType<StepRunner['resume']> => {
    const begun = carryOut(service, order);
    return killAndResume(order, {
      who: RESTATE,
      begun,
      restarted: () => sdk.restart(),
      ended: async () => expectOnRecord(order, await begun),
    });
  };
  return {
    run: async (orders) => {
      let ids: string[] = [];
      const seconds = await secondsOf(async () => {
        ids = await Promise.all(orders.map((order) => carryOut(names.shipped, order)));
      });
      for (const [at, order] of orders.entries()) await expectOnRecord(order, ids[at]!);
      return seconds;
    },
    resume: (order) => resume(names.shipped, order),
    resumeEagerly: (order) => resume(names.eager, order),
  };
}

function url(port: number, path = '/'): string {
  return `http://${LOOPBACK}:${port}${path}`;
}

async function isWell(address: string): Promise<boolean> {
  try {
    const { ok } = await fetch(address);
    return ok;
  } catch {
    return false; // Nobody listens yet.
  }
}

/** What it answers, and the name of the invocation where it was one. */
async function post(
  address: string,
  body: unknown,
): Promise<{ readonly value: unknown; readonly id: string }> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Restate answered ${response.status}: ${text.slice(0, 500)}`);
  return { value: JSON.parse(text) as unknown, id: response.headers.get('x-restate-id') ?? '' };
}
