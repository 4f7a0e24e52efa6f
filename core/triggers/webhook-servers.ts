// The webhooks of all processes of a host. Those of one address share a server, which is there as long as one of them
// is.

import { isIP } from 'node:net';
import { AppError } from '../model/errors.ts';
import type { WebhookTriggerConfig } from '../model/trigger-config.ts';
import { OneAtATime } from '../runtime/one-at-a-time.ts';
import { WebhookRoute, type ServedRoute, type WebhookOwner, type WebhookProblem } from './webhook-route.ts';
import { WEBHOOK_LIMITS, WebhookServer, type WebhookLimits } from './webhook-server.ts';

export interface WebhookFacts {
  /** Where to post to, as seen from this machine. */
  readonly url: string;
  readonly isSigned: boolean;
  /** The last thing that went wrong; null for nothing. */
  readonly problem: WebhookProblem | null;
}

/** Disposing it answers what is under way first. */
export interface RunningWebhook extends AsyncDisposable {
  readonly facts: WebhookFacts;
  [Symbol.asyncDispose](): Promise<void>;
}

const MIN_PORT = 1_025;
const MAX_PORT = 65_535;

interface Place {
  /** Listening and closing, one after the other. */
  readonly turns: OneAtATime;
  server: WebhookServer | null;
}

export class WebhookServers {
  readonly #limits: WebhookLimits;
  readonly #places = new Map<string, Place>();

  constructor(limits: Partial<WebhookLimits> = {}) {
    this.#limits = { ...WEBHOOK_LIMITS, ...limits };
  }

  /**
   * Resolves when requests come to it.
   * @throws `trigger.path-taken`, `trigger.port-taken`, `trigger.bad-address`, `trigger.bad-path`, `trigger.bad-source`,
   * `trigger.bad-secret`
   */
  async open(config: WebhookTriggerConfig, owner: WebhookOwner): Promise<RunningWebhook> {
    checkPort(config);
    return this.serve(new WebhookRoute(config, owner));
  }

  /**
   * The same, for a route of any kind.
   * @throws `trigger.path-taken`, `trigger.port-taken`, `trigger.bad-address`
   */
  async serve(route: ServedRoute): Promise<RunningWebhook> {
    const { config } = route;
    checkPort(config);
    const address = addressOf(config);
    const place = this.#places.get(address) ?? { turns: new OneAtATime(), server: null };
    this.#places.set(address, place);
    await place.turns.run(() => this.#join(place, route));
    const server = place.server!;
    let leaving: Promise<void> | null = null;
    return {
      get facts() {
        return {
          url: `http://${address}${config.path}`,
          isSigned: route.isSigned,
          problem: route.problem ?? server.trouble,
        };
      },
      [Symbol.asyncDispose]: () => (leaving ??= leave(place, server, route)),
    };
  }

  async #join(place: Place, route: ServedRoute): Promise<void> {
    const { port, path } = route.config;
    const host = bare(route.config.host);
    if (place.server !== null) {
      const other = route.family === undefined ? place.server.routeAt(path) : undefined;
      if (other !== undefined) throw pathTaken(route, other);
      place.server.add(route);
      return;
    }
    const server = new WebhookServer(host, port, route.owner.clock, this.#limits);
    try {
      await server.listen();
    } catch (error) {
      throw this.#whoseItIs(error, route);
    }
    server.add(route);
    place.server = server;
  }

  /** An address that holds another of our own, such as all addresses against one, says whose that is. */
  #whoseItIs(error: unknown, { config: { host, port } }: ServedRoute): unknown {
    if (!(error instanceof AppError) || error.code !== 'trigger.port-taken') return error;
    const others = [...this.#places.values()].flatMap(({ server }) => server?.routes ?? []);
    const other = others.find(({ config }) => config.port === port && mayBeSame(config.host, host));
    if (other === undefined) return error;
    const { process } = other.owner;
    return new AppError(
      'trigger.port-taken',
      `Port ${port} of ${host} is in use: ${process} listens on port ${port} of ${other.config.host}. Give both the same address, or one of them another port.`,
      { host, port, process },
      { cause: error },
    );
  }
}

async function leave(place: Place, server: WebhookServer, route: ServedRoute): Promise<void> {
  await server.remove(route);
  await place.turns.run(async () => {
    if (place.server !== server || server.routes.length > 0) return;
    await server.close();
    place.server = null;
  });
}

function checkPort({ host, port }: ServedRoute['config']): void {
  if (Number.isInteger(port) && port >= MIN_PORT && port <= MAX_PORT && host !== '') return;
  throw new AppError(
    'trigger.bad-address',
    `A webhook can't listen on port ${port} of "${host}". Name an address of this machine and a port from ${MIN_PORT} to ${MAX_PORT}.`,
    { host, port },
  );
}

function addressOf({ host, port }: ServedRoute['config']): string {
  const name = bare(host).toLowerCase();
  return `${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Two addresses are two, but for those that stand for all of a machine's; what a name stands for is not known. */
function mayBeSame(one: string, other: string): boolean {
  return [bare(one), bare(other)].some((host) => isIP(host) === 0 || host === '0.0.0.0' || host === '::');
}

/** IPv6 addresses are written with brackets where a port follows. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function pathTaken(route: ServedRoute, other: ServedRoute): AppError {
  const { config, owner } = route;
  const { process, triggerId } = other.owner;
  const whose = process === owner.process ? `another trigger of ${process}` : process;
  return new AppError(
    'trigger.path-taken',
    `${config.path} on port ${config.port} belongs to ${whose} already. Give ${owner.process} another path or port.`,
    { path: config.path, port: config.port, process, triggerId },
  );
}
