// A host of one agent with a mission. It says when it runs, and ends by itself once every event is handled and what is due is
// judged.
//
//   node mission-host.ts <order as JSON>

import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { dueRun } from '../../core/model/mission-step.ts';
import { DEFAULT_MISSION } from '../../core/model/mission.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';

export const AGENT = 'striver';
/** More than lives are killed: a judge that dies with its host is asked again. */
export const RETRIES = 50;

/** More than all that it does besides. */
export const JUDGE_COST = 1_000;

export interface StriverOrder {
  readonly directory: string;
  readonly ledger: string;
  readonly events: number;
  readonly evalEvery: number;
}

async function main({ directory, ledger, events, evalEvery }: StriverOrder): Promise<void> {
  process.env['MISSION_LEDGER'] = ledger;
  const journal = openFileJournal(directory);
  const mission = {
    ...DEFAULT_MISSION,
    objective: 'every event is handled',
    evalEvery,
    judgeRetries: RETRIES,
    judgeBackoffMs: 5,
    judgeCost: JUDGE_COST,
  };
  let wake = (): void => {};
  const runtime = runtimeOn(journal, {
    definitions: [
      {
        name: AGENT,
        description: '',
        entrypoint: fileURLToPath(new URL('mission-agent.ts', import.meta.url)),
        directory: '',
        config: {
          ...DEFAULT_PROCESS_CONFIG,
          maxRestarts: 1_000,
          restartBackoffMs: 5,
          heartbeatIntervalMs: 50,
          mission,
        },
        configHash: 'striver',
        codeHash: 'striver',
      },
    ],
    onChange: () => wake(),
  });
  const agent = runtime.process(AGENT);
  await runtime.start();
  writeSync(1, 'runs\n');
  const known = (await journal.read(AGENT, { entryType: 'trigger_event' })).length;
  for (let n = known; n < events; n += 1) await agent.trigger(n);
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const { open, queue, mission: now } = agent.snapshot;
    if (agent.live.trouble !== null) throw agent.live.trouble;
    const isJudged = now !== null && now.judging === null && dueRun(mission, now) === null;
    if (open.length + queue.length === 0 && isJudged) break;
    await changed;
  }
  await runtime.quit();
  await journal.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(JSON.parse(process.argv[2]!) as StriverOrder);
}
