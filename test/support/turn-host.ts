// A host of one model agent, with an operator who decides its doubts by what the tool server says. It hands in one event, kills
// itself or its worker where it was told to, and ends by itself once the turn is done. It says which worker it has.
//
//   node turn-host.ts <order as JSON>

import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { LOCAL_DISK } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { DEFAULT_PLAN, type AgentPlan, type ToolServer } from '../../core/model/agent-plan.ts';
import { needsOperator } from '../../core/model/effects.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { killProcess } from './kill-process.ts';
import { killingDisk } from './killing-disk.ts';
import { TURN_AGENT, TURN_TOOLS, type TurnOrder } from './turn-life.ts';
import { whatCameOf } from './what-came-of.ts';

const OPERATOR = { name: 'operator:automatic', reason: 'by the ledger' };

const order = JSON.parse(process.argv[2]!) as TurnOrder;
const { directory, model, tools, isMcp, kill } = order;
process.env['TURN_TOOLS'] = tools;

let isOperating = false;
let isWanted = false;
let isHandedIn = false;
let worker: number | undefined;

const journal = openFileJournal(directory, {
  disk: kill === null ? LOCAL_DISK : killingDisk(kill.at, strike),
});
const runtime = runtimeOn(journal, {
  definitions: [
    {
      name: TURN_AGENT,
      description: '',
      entrypoint: isMcp ? '' : fileURLToPath(new URL('./turn-agent.ts', import.meta.url)),
      directory: isMcp ? directory : '',
      config: {
        ...DEFAULT_PROCESS_CONFIG,
        agent: { ...DEFAULT_PLAN, models: [model], maxOutputTokens: 100, ...(isMcp ? overMcp() : {}) },
        instructions: 'Do what has to be done.',
        maxRestarts: 1_000,
        restartBackoffMs: 5,
      },
      configHash: 'turn',
      codeHash: 'turn',
    },
  ],
  onChange: () => operate(),
});
const agent = runtime.process(TURN_AGENT);
await runtime.start();
const known = await journal.read(TURN_AGENT, { entryType: 'trigger_event' });
if (known.length === 0) await agent.trigger({ please: 'all of it' });
isHandedIn = true;
operate();

/** A server cannot be asked what came of a call, so there is no `reconcile`. */
function overMcp(): Pick<AgentPlan, 'servers' | 'tools'> {
  const rules = Object.entries(TURN_TOOLS).map(
    ([name, { class: effectClass = 'ask', keyArgument = null }]) => [
      name,
      {
        class: effectClass === 'reconcile' ? 'ask' : effectClass,
        ...(keyArgument === null ? {} : { keyArgument }),
      },
    ],
  );
  const world: ToolServer = {
    kind: 'stdio',
    command: process.execPath,
    args: [fileURLToPath(new URL('./bridging-mcp-server.ts', import.meta.url))],
    env: { TURN_TOOLS: tools },
    cwd: '',
    isTrusted: false,
    roots: [],
    timeoutMs: 60_000,
    maxResultBytes: 1024 * 1024,
  };
  return { servers: { world }, tools: Object.fromEntries(rules) as AgentPlan['tools'] };
}

function strike(): void {
  const { victim } = kill!;
  const isKilled = victim !== 'host' && killProcess(agent.live.worker?.pid);
  writeSync(1, `killed ${victim === 'worker' && !isKilled ? 'nobody' : victim}\n`);
  if (victim !== 'worker') process.kill(process.pid, 'SIGKILL');
}

function operate(): void {
  const pid = agent.live.worker?.pid;
  if (pid !== worker) writeSync(1, `worker ${pid ?? 0}\n`);
  worker = pid;
  isWanted = true;
  if (isOperating) return;
  isOperating = true;
  setImmediate(() => {
    look().catch((error: unknown) => {
      writeSync(2, `${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    });
  });
}

/** Does one thing after the other for as long as there is something to do. */
async function look(): Promise<void> {
  while (isWanted) {
    isWanted = false;
    while (await act());
  }
  isOperating = false;
}

/** False where there is nothing to do. */
async function act(): Promise<boolean> {
  const { open, queue, lifecycle, lastError } = agent.snapshot;
  if (agent.live.trouble !== null) throw agent.live.trouble;
  if (lifecycle === 'failed') throw new Error(`it failed: ${agent.snapshot.lifecycleReason}`);
  if (lastError !== null) throw new Error(`the turn failed: ${lastError.message}`);
  if (isHandedIn && open.length + queue.length === 0) {
    await runtime.quit();
    await journal.close();
    process.exit(0);
  }
  for (const { event, effects } of open) {
    const doubt = agent.live.isRunning(event.eventId) ? undefined : effects.find(needsOperator);
    if (doubt === undefined) continue;
    // Over MCP the key of a call goes to nobody but those that take one.
    const result = await whatCameOf(tools, isMcp ? doubt.name : doubt.key);
    const resolution =
      result === null ? ({ kind: 'did_not_happen' } as const) : ({ kind: 'happened', result } as const);
    await agent.desk.resolveEffect(doubt.effectId, resolution, OPERATOR);
    return true;
  }
  return false;
}
