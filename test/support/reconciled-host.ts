// A host of one agent whose effects can be reconciled. It kills its worker, itself or both where it was told to, at so many
// milliseconds behind the announcement of an effect; what its reconcilers leave to a person it says, and decides in doubt's
// favour: nothing is done again. It ends by itself once everything is done.
//
//   node reconciled-host.ts <order as JSON>

import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { needsOperator } from '../../core/model/effects.ts';
import { isObject } from '../../core/model/json.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { killProcess } from './kill-process.ts';
import { AGENT, type ReconciledOrder } from './reconciled-life.ts';

const OPERATOR = { name: 'operator:automatic', reason: 'its reconciler does not know' };
const STARTED = '"entry_type":"effect_started"';

const order = JSON.parse(process.argv[2]!) as ReconciledOrder;
const { directory, world, life, events } = order;
process.env['RECONCILED_WORLD'] = JSON.stringify(world);

const kills = [...order.kills];
let isArmed = false;
let wake = (): void => {};

const journal = openFileJournal(directory, { disk: killingDisk() });
const runtime = runtimeOn(journal, {
  definitions: [
    {
      name: AGENT,
      description: '',
      entrypoint: fileURLToPath(new URL('./reconciled-agent.ts', import.meta.url)),
      directory: '',
      config: { ...DEFAULT_PROCESS_CONFIG, concurrency: 2, maxRestarts: 100_000, restartBackoffMs: 5 },
      configHash: 'reconciled',
      codeHash: 'reconciled',
    },
  ],
  onChange: () => wake(),
});
const agent = runtime.process(AGENT);
await runtime.start();
const known = (await journal.read(AGENT, { entryType: 'trigger_event' })).map(({ data }) =>
  isObject(data['payload']) ? data['payload']['n'] : null,
);
for (let n = 1; n <= events; n += 1) if (!known.includes(n)) await agent.trigger({ life, n });
for (;;) {
  const changed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const { open, queue, lifecycle } = agent.snapshot;
  if (agent.live.trouble !== null) throw agent.live.trouble;
  if (lifecycle === 'failed') throw new Error(`it failed: ${agent.snapshot.lifecycleReason}`);
  if (open.length + queue.length === 0) break;
  const doubt = open
    .filter(({ event }) => !agent.live.isRunning(event.eventId))
    .flatMap(({ effects }) => effects)
    .find(needsOperator);
  if (doubt === undefined) await changed;
  else await agent.desk.resolveEffect(doubt.effectId, { kind: 'skip' }, OPERATOR);
}
isArmed = true;
await runtime.quit();
await journal.close();
process.exit(0);

/** The local disk, which sees when an effect is announced. */
function killingDisk(): Disk {
  return {
    ...LOCAL_DISK,
    write: (fd, bytes, offset, length, position) => {
      const written = LOCAL_DISK.write(fd, bytes, offset, length, position);
      const [kill] = kills;
      if (kill === undefined || isArmed) return written;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + offset, written).toString('latin1');
      if (!text.includes(STARTED)) return written;
      isArmed = true;
      setTimeout(() => strike(kill.victim), kill.afterMs);
      return written;
    },
  };
}

function strike(victim: 'worker' | 'host' | 'both'): void {
  // The next announcement sets it off again.
  isArmed = false;
  const isKilled = victim !== 'host' && killProcess(agent.live.worker?.pid);
  if (victim === 'worker' && !isKilled) return;
  kills.shift();
  writeSync(1, `killed ${victim}\n`);
  if (victim !== 'worker') process.kill(process.pid, 'SIGKILL');
}
