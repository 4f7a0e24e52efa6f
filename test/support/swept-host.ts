// A host of one agent, with an operator who settles its promises, signals it and decides its doubts by what the ledger says,
// and with a source that hands in three events. It kills itself or its worker where it was told to; else it ends by itself
// once everything is done.
//
//   node swept-host.ts <order as JSON>

import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { LOCAL_DISK } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { needsOperator } from '../../core/model/effects.ts';
import { isObject } from '../../core/model/json.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { askLedger } from './ask-ledger.ts';
import { killProcess } from './kill-process.ts';
import { killingDisk } from './killing-disk.ts';
import { AGENT, type SweptOrder } from './swept-life.ts';

const OPERATOR = { name: 'operator:automatic', reason: 'by the ledger' };
const WORKER_IDLE_MS = 150;

const order = JSON.parse(process.argv[2]!) as SweptOrder;
const { directory, ledger, life, events, kill } = order;
process.env['SWEPT_LEDGER'] = ledger;
process.env['SWEPT_LIFE'] = life;

let isOperating = false;
let isWanted = false;
let isDone = false;
let handedIn = 0;

const journal = openFileJournal(directory, {
  disk: kill === null ? LOCAL_DISK : killingDisk(kill.at, strike),
});
const runtime = runtimeOn(journal, {
  definitions: [
    {
      name: AGENT,
      description: '',
      entrypoint: fileURLToPath(new URL('./swept-agent.ts', import.meta.url)),
      directory: '',
      config: {
        ...DEFAULT_PROCESS_CONFIG,
        workerIdleMs: WORKER_IDLE_MS,
        maxRestarts: 1_000,
        restartBackoffMs: 5,
      },
      configHash: 'swept',
      codeHash: 'swept',
    },
  ],
  onChange: () => operate(),
});
const agent = runtime.process(AGENT);
await runtime.start();
await handIn();
operate();

// --- what kills

function strike(): void {
  const { victim } = kill!;
  const isKilled = victim !== 'host' && killProcess(agent.live.worker?.pid);
  writeSync(1, `killed ${victim === 'worker' && !isKilled ? 'nobody' : victim}\n`);
  if (victim !== 'worker') process.kill(process.pid, 'SIGKILL');
}

// --- the source of the events

/** Those that the journal does not have; each is told to the ledger when it is accepted. */
async function handIn(): Promise<void> {
  const there = new Set<unknown>();
  for (const { data } of await journal.read(AGENT, { entryType: 'trigger_event' })) {
    if (isObject(data['payload'])) there.add(data['payload']['n']);
  }
  for (let n = 1; n <= events; n += 1) {
    if (!there.has(n)) {
      const eventId = await agent.trigger({ n });
      await askLedger(ledger, { op: 'accepted', life, eventId });
    }
    handedIn = n;
  }
}

// --- the operator

function operate(): void {
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
  const { open, queue, lifecycle } = agent.snapshot;
  if (agent.live.trouble !== null) throw agent.live.trouble;
  if (lifecycle === 'failed') throw new Error(`it failed: ${agent.snapshot.lifecycleReason}`);
  if (isDone) return false;
  if (handedIn === events && open.length + queue.length === 0) {
    isDone = true;
    await runtime.quit();
    await journal.close();
    process.exit(0);
  }
  for (const { event, effects, waits, signals } of open) {
    const { n } = event.payload as { readonly n: number };
    const doubt = agent.live.isRunning(event.eventId) ? undefined : effects.find(needsOperator);
    if (doubt !== undefined) {
      const { result } = await askLedger(ledger, { op: 'look', life, key: doubt.key });
      const resolution =
        result === null ? ({ kind: 'did_not_happen' } as const) : ({ kind: 'happened', result } as const);
      await agent.desk.resolveEffect(doubt.effectId, resolution, OPERATOR);
      return true;
    }
    const approval = waits.find(({ kind, end }) => kind === 'promise' && end === null);
    // The last one is settled when nothing moves any more and its worker is on its way out.
    if (approval !== undefined && (n < events || lifecycle === 'awaiting')) {
      const settlement = { status: 'resolved', value: `yes to ${n}` } as const;
      await agent.desk.settlePromise(approval.waitId, settlement, OPERATOR);
      return true;
    }
    const signalId = `go ${event.eventId}`;
    const isAsleep = waits.some(({ kind }) => kind === 'timer');
    if (isAsleep && !signals.some((signal) => signal.signalId === signalId)) {
      await agent.desk.signal(signalId, 'go', { n }, OPERATOR);
      return true;
    }
  }
  return false;
}
