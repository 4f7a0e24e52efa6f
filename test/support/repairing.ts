// Repairs a memory, and kills itself after so many records.
//
//   node repairing.ts <place as JSON> <records>

import type { MemoryPlace } from '../../core/agent/memory/memory-place.ts';
import type { Added, NewMemory } from '../../core/agent/memory/memory-store.ts';
import { repairMemory } from '../../core/agent/memory/repair-memory.ts';
import { SqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';

const [place, records] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
const before = Object.getOwnPropertyDescriptor(SqliteMemory.prototype, 'add')!;
let count = 0;
SqliteMemory.prototype.add = function (this: SqliteMemory, record) {
  count += 1;
  if (count > (records as number)) process.kill(process.pid, 'SIGKILL');
  return (before.value as (record: NewMemory) => Promise<Added>).call(this, record);
};
await repairMemory(place as MemoryPlace, 0);
