// A process of Restate's SDK that its server sends invocations to.

import { once } from 'node:events';
import { createServer } from 'node:http2';
import { createRequire } from 'node:module';
import { performerOf, STEP, type Order } from '../steps.ts';
import { sdkStart, serveSdk } from './sdk-worker.ts';
import { LOOPBACK } from './server.ts';

export interface RestateStart {
  /** From where its packages are found. */
  readonly manifest: string;
  readonly port: number;
  /** The names of two services: one as it is shipped, one that is tried again after this time, each time. */
  readonly shipped: string;
  readonly eager: string;
  readonly eagerRetryMs: number;
}

interface Context {
  run<T>(name: string, action: () => Promise<T>): Promise<T>;
}

interface Sdk {
  service(definition: {
    readonly name: string;
    readonly handlers: { readonly run: (ctx: Context, order: Order) => Promise<number> };
    readonly options?: { readonly retryPolicy: Readonly<Record<string, number>> };
  }): unknown;
  endpoint(): Endpoint;
}

interface Endpoint {
  bind(service: unknown): Endpoint;
  http2Handler(): Parameters<typeof createServer>[0];
}

const { manifest, port, shipped, eager, eagerRetryMs } = sdkStart<RestateStart>();
const restate = createRequire(manifest)('@restatedev/restate-sdk') as Sdk;

async function run(ctx: Context, order: Order): Promise<number> {
  using performer = performerOf(order);
  for (let step = 0; step < order.steps; step += 1) await ctx.run(STEP, () => performer.perform(step));
  return order.steps;
}

const retryPolicy = {
  initialInterval: eagerRetryMs,
  maxInterval: eagerRetryMs,
  exponentiationFactor: 1,
  maxAttempts: 100_000,
};
const endpoint = restate
  .endpoint()
  .bind(restate.service({ name: shipped, handlers: { run } }))
  .bind(restate.service({ name: eager, handlers: { run }, options: { retryPolicy } }));
const server = createServer(endpoint.http2Handler() as () => void);
await once(server.listen(port, LOOPBACK), 'listening');
// It is told what to do by its server.
serveSdk(() => Promise.resolve(0));
