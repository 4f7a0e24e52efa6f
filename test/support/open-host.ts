// A host of one agent in open mode that kills itself after so many lines of its journals; else it ends by itself once its
// agent has called all of its tools.
//
//   node open-host.ts <order as JSON>

import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runtimeOn } from '../../core/host/runtime-on.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { OPEN_AGENT, openPlan, type Call } from './open-source.ts';

export interface OpenOrder {
  readonly directory: string;
  readonly calls: readonly Call[];
  readonly kill: { readonly after: number; readonly when: 'written' | 'synced' } | null;
}

const { directory, calls, kill } = JSON.parse(process.argv[2]!) as OpenOrder;
const entrypoint = join(directory, 'agent.ts');
if (!existsSync(entrypoint)) {
  writeFileSync(
    entrypoint,
    `import { defineAgent, TerminalError } from 'holdfast';\nconst note = () => {};\n${OPEN_AGENT}`,
  );
}
let lines = 0;
const journal = openFileJournal(join(directory, 'journal'), { disk: countingDisk() });
let wake = (): void => {};
const runtime = runtimeOn(journal, {
  definitions: [
    {
      name: 'agent',
      description: '',
      entrypoint,
      directory,
      config: {
        ...DEFAULT_PROCESS_CONFIG,
        agent: openPlan({ allowedUrls: ['http://127.0.0.1:9/'] }),
        instructions: 'as the manifest says',
        restartBackoffMs: 5,
      },
      configHash: 'open',
      codeHash: 'open',
    },
  ],
  onChange: () => wake(),
});
await runtime.start();
const agent = runtime.process('agent');
const known = await journal.read('agent', { entryType: 'trigger_event' });
if (known.length === 0) await agent.trigger({ calls: calls.map((call) => ({ ...call })) as JsonObject[] });
for (;;) {
  const changed = new Promise<void>((resolve) => (wake = resolve));
  if (agent.live.trouble !== null) throw agent.live.trouble;
  if (agent.snapshot.invocationCount > 0 && agent.snapshot.open.length === 0) break;
  await changed;
}
await runtime.quit();
await journal.close();
writeSync(1, `${lines}\n`);

function countingDisk(): Disk {
  const strike = (when: 'written' | 'synced'): void => {
    if (kill !== null && kill.when === when && lines >= kill.after) process.kill(process.pid, 'SIGKILL');
  };
  return {
    ...LOCAL_DISK,
    write: (fd, bytes, offset, length, position) => {
      const written = LOCAL_DISK.write(fd, bytes, offset, length, position);
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + offset, written).toString('latin1');
      lines += text.split('"entry_type":').length - 1;
      strike('written');
      return written;
    },
    sync: async (fd) => {
      await LOCAL_DISK.sync(fd);
      strike('synced');
    },
    syncNow: (fd) => {
      LOCAL_DISK.syncNow(fd);
      strike('synced');
    },
  };
}
