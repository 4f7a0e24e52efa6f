// A host of one agent under limits, with an operator who decides doubts by the ledger, and grants a run more where it needs
// that, but not the day. It says when it runs, and ends by itself once the day's limit holds it, and what is being done is done.
//
//   node budget-host.ts <order as JSON>

import { existsSync, readFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import { needsOperator } from '../../core/model/effects.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { killProcess } from '../support/kill-process.ts';

export const AGENT = 'spender';

export interface SpenderOrder {
  readonly directory: string;
  readonly ledger: string;
  readonly events: number;
  readonly limits: BudgetConfig['limits'];
  readonly resetHour: number;
  /** So long after it has begun its worker is killed; null for never. */
  readonly killWorkerAfterMs: number | null;
  /** What its operator grants for the day when it has begun. */
  readonly moreOfDay: number;
}

const OPERATOR = { name: 'operator:automatic', reason: 'by the ledger' };

async function main(order: SpenderOrder): Promise<void> {
  const { directory, ledger, events, limits, resetHour, killWorkerAfterMs, moreOfDay } = order;
  process.env['BUDGET_LEDGER'] = ledger;
  const journal = openFileJournal(directory);
  let wake = (): void => {};
  const runtime = runtimeOn(journal, {
    definitions: [
      {
        name: AGENT,
        description: '',
        entrypoint: fileURLToPath(new URL('budget-agent.ts', import.meta.url)),
        directory: '',
        config: {
          ...DEFAULT_PROCESS_CONFIG,
          concurrency: 2,
          maxRestarts: 1_000,
          restartBackoffMs: 5,
          heartbeatIntervalMs: 50,
          budget: { ...DEFAULT_BUDGET, limits, resetHour },
        },
        configHash: 'spender',
        codeHash: 'spender',
      },
    ],
    onChange: () => wake(),
  });
  const agent = runtime.process(AGENT);
  await runtime.start();
  writeSync(1, 'runs\n');
  if (killWorkerAfterMs !== null) {
    setTimeout(() => void killProcess(agent.live.worker?.pid), killWorkerAfterMs);
  }
  if (moreOfDay > 0) {
    await agent.governance.extendBudget(
      { limit: 'max_tool_calls_per_day', amount: moreOfDay, forMs: null },
      OPERATOR,
    );
  }
  const known = (await journal.read(AGENT, { entryType: 'trigger_event' })).length;
  for (let n = known; n < events; n += 1) await agent.trigger(n);
  let generation: number | undefined;
  /** What was announced behind it, this worker announced. */
  let since = 0;
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const { open, holds, budget } = agent.snapshot;
    if (agent.live.trouble !== null) throw agent.live.trouble;
    const doubt = open
      .filter(({ event }) => !agent.live.isRunning(event.eventId))
      .flatMap(({ effects }) => effects)
      .find(needsOperator);
    const { worker } = agent.live;
    if (worker?.generation !== generation) {
      generation = worker?.generation;
      since = agent.snapshot.seq;
    }
    // What an earlier worker began and this one is to repeat may wait for room as everything else does.
    const isDoing = open.some(
      ({ event, effects }) =>
        agent.live.isRunning(event.eventId) && effects.some(({ end, seq }) => end === null && seq > since),
    );
    const isHeld = holds.some(({ kind }) => kind === 'budget');
    if (doubt !== undefined) {
      const done = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n') : [];
      const resolution = done.includes(doubt.key)
        ? ({ kind: 'happened', result: null } as const)
        : ({ kind: 'did_not_happen' } as const);
      await agent.desk.resolveEffect(doubt.effectId, resolution, OPERATOR);
    } else if (isHeld && budget.exceeded?.limit === 'max_tool_calls_per_run') {
      await agent.governance.extendBudget(
        { limit: 'max_tool_calls_per_run', amount: 1, forMs: null },
        OPERATOR,
      );
    } else if (isHeld && budget.exceeded !== null && !isDoing) break;
    else await changed;
  }
  writeSync(1, 'held\n');
  await runtime.quit();
  await journal.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(JSON.parse(process.argv[2]!) as SpenderOrder);
}
