// Remembers one record after the other, and says each id when it is durable, until it is killed.
//
//   node test/crash/memory-writer.ts <path> <process>

import { openSqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';
import { memoryOf } from '../support/memories.ts';

const [path = '', name = ''] = process.argv.slice(2);
const memory = openSqliteMemory({ collection: 'notes', path, isKept: true });
for (let at = 0; ; at += 1) {
  const id = `${name}-${at}`;
  await memory.add(memoryOf(id, `What ${name} did in step ${at}`));
  process.stdout.write(`${id}\n`);
}
