// A host in a process of its own, started on a workspace and asked what it takes. Run as a program, it is that host; it
// answers each line that it reads with one line of JSON.

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { createInterface } from 'node:readline';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { createConsoleHost } from '../../core/host/create-console-host.ts';
import type { FleetView } from '../../core/contract/fleet-views.ts';

export interface HostFacts {
  readonly rssBytes: number;
  /** Processor time in seconds since the start until it was asked, and until it had looked: collecting costs some. */
  readonly cpuSeconds: { readonly asked: number; readonly answered: number };
  readonly states: Readonly<Record<string, number>>;
  readonly doubts: number;
}

export interface HostProcess {
  readonly process: ChildProcess;
  /** Milliseconds from the start of the program until its host was running. */
  readonly readyMs: number;
  facts(): Promise<HostFacts>;
  /** Triggers each of these once; resolves when all are accepted. */
  trigger(processes: readonly string[]): Promise<void>;
  quit(): Promise<void>;
}

type Answer = { readonly readyMs: number } | HostFacts | { readonly accepted: number };

export async function startHost(workspace: string, env: NodeJS.ProcessEnv = {}): Promise<HostProcess> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', import.meta.filename, workspace],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, HOLDFAST_DATA: join(workspace, 'data'), ...env },
    },
  );
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The host ended with code ${String(code)}, signal ${String(signal)}.`);
  });
  exited.catch(() => {});
  const next = async (): Promise<Answer> => {
    const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string];
    return JSON.parse(line) as Answer;
  };
  const ask = (what: string): Promise<Answer> => {
    child.stdin.write(`${what}\n`);
    return next();
  };
  const { readyMs } = (await next()) as { readyMs: number };
  return {
    process: child,
    readyMs,
    facts: async () => (await ask('facts')) as HostFacts,
    trigger: async (processes) => void (await ask(`trigger ${processes.join(' ')}`)),
    quit: async () => {
      child.stdin.write('quit\n');
      await exited.catch(() => {});
    },
  };
}

async function serve(workspace: string): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const host = await createConsoleHost({
    app: { version: 'bench', host: 'bench', isStandIn: false, platform: process.platform },
    workspace,
    workerHost: childProcessWorkerHost(),
    knownJournals: join(process.env['HOLDFAST_DATA']!, 'journals'),
    operator: 'bench',
    chooseJournal: async () => null,
  });
  const say = (answer: Answer): void => void process.stdout.write(`${JSON.stringify(answer)}\n`);
  say({ readyMs: performance.now() });
  for await (const line of createInterface({ input: process.stdin })) {
    const [what, ...names] = line.split(' ');
    if (what === 'quit') break;
    if (what === 'facts') {
      const asked = cpuSeconds();
      collect();
      collect();
      const fleet = host.fleet();
      say({
        rssBytes: process.memoryUsage.rss(),
        cpuSeconds: { asked, answered: cpuSeconds() },
        states: countStates(fleet),
        doubts: fleet.processes.reduce((sum, { doubts }) => sum + doubts, 0),
      });
    } else {
      const [journal] = host.fleet().journals;
      const answers = await Promise.all(
        names.map((process) =>
          host.handle('processes.trigger', {
            journalId: journal!.id,
            process,
            commandId: crypto.randomUUID(),
            reason: '',
          }),
        ),
      );
      say({ accepted: answers.filter(({ ok }) => ok).length });
    }
  }
  await host.close();
  process.exit(0);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function countStates({ processes }: FleetView): Record<string, number> {
  const states: Record<string, number> = {};
  for (const { state } of processes) states[state] = (states[state] ?? 0) + 1;
  return states;
}

if (import.meta.main) await serve(process.argv[2]!);
