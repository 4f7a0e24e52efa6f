import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConsoleEvent, ConsoleHost } from '../../core/contract/console-host.ts';
import type { Result } from '../../core/contract/define.ts';
import { EVENTS } from '../../core/contract/events.ts';
import { REQUESTS, type RequestName, type RequestOf, type ResponseOf } from '../../core/contract/requests.ts';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { createConsoleHost } from '../../core/host/create-console-host.ts';
import { HOLDFAST, holdfast, startNode, type Ended } from './child.ts';
import { endsWithTest } from './ends-with-test.ts';
import { endAtOnce } from './runtime.ts';
import { tempDirectory } from './temp-directory.ts';
import { waitFor } from './wait-for.ts';

/** Agents that do nothing until they are told to, each with what its module does when it is triggered. */
export function workspaceOf(
  agents: Readonly<Record<string, string>>,
  manifest = '',
  workspace = join(tempDirectory(), 'agents'),
): string {
  mkdirSync(workspace, { recursive: true });
  for (const [name, body] of Object.entries(agents)) {
    writeFileSync(
      join(workspace, `${name}.ts`),
      `import { defineAgent } from 'holdfast';\nexport default defineAgent({ async onTrigger(ctx, event, run) { ${body} } });\n`,
    );
    writeFileSync(join(workspace, `${name}.agent`), `name: ${name}\nentrypoint: ./${name}.ts\n${manifest}`);
  }
  return workspace;
}

/** Announces an effect that only an operator may decide, and never comes back from it. */
export const NEVER_BACK = `await ctx.effect('pay', { class: 'ask' }, () => new Promise(() => setInterval(() => {}, 1_000)));`;

export interface ChildHost {
  readonly pid: number;
  /** The user's data folder, which everybody shares who is to find it. */
  readonly data: string;
  /** Ends it as a power cut would, and resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Runs the command line with the same data folder, to its end. */
  readonly command: (...args: readonly string[]) => Promise<Ended>;
}

/** `holdfast run` as a program of its own; resolves when every process is recovered and it listens. */
export async function runHost(
  workspace: string,
  data: string = tempDirectory(),
  variables: Readonly<Record<string, string>> = {},
): Promise<ChildHost> {
  const env = { ...process.env, ...variables, HOLDFAST_DATA: data };
  const child = startNode(HOLDFAST, ['run', workspace, '--json'], { env });
  endsWithTest(child);
  await waitFor(() => child.stdout().includes('"event":"fleet"'), { what: 'the host' });
  return {
    pid: child.process.pid!,
    data,
    kill: async () => {
      child.process.kill('SIGKILL');
      await child.ended;
    },
    command: (...args) => holdfast(args, { env }),
  };
}

export interface TestConsole {
  readonly host: ConsoleHost;
  readonly events: ConsoleEvent[];
  readonly notices: () => readonly string[];
  readonly ask: <N extends RequestName>(name: N, request: RequestOf<N>) => Promise<Result<ResponseOf<N>>>;
  readonly get: <N extends RequestName>(name: N, request: RequestOf<N>) => Promise<ResponseOf<N>>;
}

/** A console in this process, which runs the workspace or attaches to whoever does. */
export async function openConsole(workspace: string | null, data: string | null): Promise<TestConsole> {
  return useConsole(
    await createConsoleHost({
      app: { version: '0', host: 'test', isStandIn: false, platform: process.platform },
      workspace,
      workerHost: childProcessWorkerHost(),
      knownJournals: data === null ? null : join(data, 'journals'),
      operator: 'tester',
      chooseJournal: async () => null,
    }),
  );
}

/** What it is told and answered is checked against the contract. */
export async function useConsole(host: ConsoleHost): Promise<TestConsole> {
  const events: ConsoleEvent[] = [];
  const notices = (): readonly string[] =>
    events.flatMap((event) => (event.name === 'console.notice' ? [event.payload.code] : []));
  const isAttached = (): boolean => notices().includes('host.attached');
  onTestFinished(async () => {
    // As in test/support/runtime.ts; the workers of a host that this one is attached to are not its own.
    const rows = isAttached() ? [] : host.fleet().processes.filter(({ live }) => live);
    const over = host.close();
    for (const { worker } of rows) endAtOnce(worker);
    await over;
  });
  host.subscribe((event) => {
    EVENTS[event.name].parse(event.payload);
    events.push(event);
  });
  const ask: TestConsole['ask'] = async (name, request) => {
    const result = (await host.handle(name, request)) as Result<never>;
    if (result.ok) REQUESTS[name].response.parse(result.value);
    return result;
  };
  const get: TestConsole['get'] = async (name, request) => {
    const result = await ask(name, request);
    if (!result.ok) throw new Error(`${name}: ${result.error.code}: ${result.error.message}`);
    return result.value;
  };
  await get('fleet.read', {});
  return {
    host,
    events,
    notices,
    ask,
    get,
  };
}

export const command = (reason = 'test') => ({ commandId: crypto.randomUUID(), reason });
