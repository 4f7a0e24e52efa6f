// What operators do to an agent's memory. Workers may have it open meanwhile: what they recalled is in the journal and stays
// as it is [S25], and what they do next goes by what it is then.

import { createHash } from 'node:crypto';
import type { RequestOf } from '../contract/requests.ts';
import { memoryId } from '../agent/memory/memory-id.ts';
import { memoryPlace } from '../agent/memory/memory-place.ts';
import { keepable, type MemoryStore } from '../agent/memory/memory-store.ts';
import { repairMemory } from '../agent/memory/repair-memory.ts';
import { openSqliteMemory } from '../agent/memory/sqlite-memory.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { counted } from './counted.ts';
import { cut } from './cut.ts';
import { notFound, recordAt, type MemoryAt } from './memory-look.ts';
import { MAX_LINE } from './view-limits.ts';

export type MemoryCommand = 'memory.write' | 'memory.forget' | 'memory.repair';
type Asked = RequestOf<MemoryCommand>;

/** Of what is said of it in the journal. */
const MAX_TOLD = 500;

/** Which record, what it said, and what it is to say: on record before it happens [P7]. */
export async function aboutMemory(at: MemoryAt, asked: Asked): Promise<JsonObject> {
  const { collection, userId } = at.plan;
  const about = { collection: cut(collection, MAX_LINE), user_id: cut(userId, MAX_LINE) };
  if (!('id' in asked)) return { memory: about };
  const text = 'text' in asked ? { text: cut(asked.text, MAX_TOLD) } : {};
  if (asked.id === null) return { memory: { ...about, ...text } };
  return { memory: { ...about, id: asked.id, before: await beforeOf(at, asked.id), ...text } };
}

async function beforeOf(at: MemoryAt, id: string): Promise<JsonObject> {
  try {
    const record = await recordAt(at, id);
    if (record === null) return { error: 'there is none' };
    return {
      sha256: createHash('sha256').update(record.text).digest('hex'),
      characters: record.text.length,
      pinned: record.isPinned,
    };
  } catch (error) {
    return { error: cut(messageOf(error), MAX_TOLD) };
  }
}

/** Resolves with a sentence about what was done. @throws `memory.*` */
export async function changeMemory(
  name: MemoryCommand,
  at: MemoryAt,
  asked: Asked & { readonly process: string },
  actor: string,
): Promise<string> {
  switch (name) {
    case 'memory.write':
      return write(at, asked as RequestOf<'memory.write'>, actor);
    case 'memory.forget':
      return forget(at, asked as RequestOf<'memory.forget'>);
    case 'memory.repair':
      return repair(at, asked.process);
  }
}

async function write(
  at: MemoryAt,
  { id, text, isPinned, commandId, process }: RequestOf<'memory.write'>,
  actor: string,
): Promise<string> {
  const { userId } = at.plan;
  const kept = keepable(text);
  const now = new Date().toISOString();
  if (id !== null) {
    const change = { text: kept, isPinned, updatedAt: now };
    const record = await withStore(at, (memory) => memory.update(id, userId, change));
    if (record === null) throw notFound(id);
    return `${id} was changed${isPinned ? ', and is pinned' : ''}. What runs now goes on with what it has recalled.`;
  }
  // The same command is the same record, also for a host that was started in between.
  const made = memoryId(commandId);
  const added = await withStore(at, (memory) =>
    memory.add({
      id: made,
      userId,
      text: kept,
      createdAt: now,
      source: { by: 'operator', process, eventId: null, key: actor },
      metadata: {},
      isPinned,
    }),
  );
  if (added === 'forgotten') return `It was remembered as ${made}, and forgotten since; it stays so.`;
  return `It is remembered as ${made}${isPinned ? ', and pinned' : ''}.`;
}

async function forget(at: MemoryAt, { id, collection }: RequestOf<'memory.forget'>): Promise<string> {
  const { plan } = at;
  if (id !== null) {
    const became = await withStore(at, (memory) => memory.delete(id, plan.userId));
    if (became === 'none') throw notFound(id);
    return became === 'before' ? `${id} was forgotten before.` : `${id} is forgotten.`;
  }
  if (collection !== plan.collection) {
    throw new AppError(
      'memory.not-confirmed',
      `To forget all of it, name the collection: ${plan.collection}. Nothing was forgotten.`,
    );
  }
  const count = await withStore(at, (memory) => memory.clear(plan.userId));
  return `${counted(count, 'record')} of ${plan.userId} in ${plan.collection} ${count === 1 ? 'is' : 'are'} forgotten.`;
}

async function repair({ workspace, plan }: MemoryAt, process: string): Promise<string> {
  const { asidePath, kept, lost } = await repairMemory(memoryPlace(workspace, plan), Date.now());
  if (asidePath === null) return `The memory of ${process} is whole; nothing was done to it.`;
  const gone = lost === 0 ? 'none is lost' : `${counted(lost, 'place')} could not be read`;
  return `${counted(kept, 'record')} could be read and ${kept === 1 ? 'is' : 'are'} kept, ${gone}. The damaged file lies, as it was, in ${asidePath}.`;
}

async function withStore<T>(
  { workspace, plan }: MemoryAt,
  act: (memory: MemoryStore) => Promise<T>,
): Promise<T> {
  const memory = openSqliteMemory(memoryPlace(workspace, plan));
  try {
    return await act(memory);
  } finally {
    await memory.close();
  }
}
