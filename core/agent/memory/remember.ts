// Recalling and remembering, as effects. A re-run gets what was recalled when it was, whatever became of the memory since
// [S25]; and what was remembered is there once, however often its writing is begun [S28].

import { randomBytes } from 'node:crypto';
import type { MemoryPlan } from '../../model/agent-plan.ts';
import { AppError, codeOf, messageOf } from '../../model/errors.ts';
import { DidNotHappen, EffectFailed } from '../effect-errors.ts';
import type { Turn } from '../llm/tool.ts';
import { embedded } from './embedding.ts';
import { memoryId } from './memory-id.ts';
import { readableBy } from './memory-place.ts';
import { keepable, type Added, type MemorySource } from './memory-store.ts';
import { pinnedOf, rememberedOf, type Found, type Remembered } from './remembered-text.ts';
import { withMemory } from './worker-memory.ts';

/** Of what is searched for. */
const MAX_SEARCH = 4_000;
const FENCE_BYTES = 6;
const MAX_NOTE = 500;
/** Certainly not done, and no use to try again. */
const REFUSED: ReadonlySet<string> = new Set(['memory.damaged', 'memory.newer', 'memory.not-ours']);

const NOTHING: Found = { fence: '', records: [], note: null };

export interface Recall {
  /** Of the effect, and so in the journal. */
  readonly name: string;
  readonly text: string;
  readonly max: number;
  /** Whether those that are pinned come first. */
  readonly withPinned: boolean;
}

/** Never fails: a memory that is slow or broken gives nothing, with a note that is on record. */
export async function recall(turn: Turn, plan: MemoryPlan, asked: Recall): Promise<Found> {
  const { ctx, secrets } = turn;
  const text = secrets.text(asked.text).slice(0, MAX_SEARCH).toWellFormed();
  const { max, withPinned } = asked;
  const { collection, userId, minScore, timeoutMs } = plan;
  const vector = await embedded(turn, text);
  try {
    const found = await ctx.effect<Found>(
      asked.name,
      {
        class: 'retry',
        args: { collection, userId, text, max, minScore },
        timeoutMs: Math.max(1, timeoutMs),
        retry: { attempts: 1 },
      },
      async () => {
        const fence = randomBytes(FENCE_BYTES).toString('hex');
        try {
          return { fence, records: await looked(turn, plan, { text, max, withPinned, vector }), note: null };
        } catch (error) {
          return { fence, records: [], note: messageOf(error).slice(0, MAX_NOTE) };
        }
      },
    );
    if (found.note !== null) ctx.log(`Nothing was recalled: ${found.note}`, 'warning');
    return found;
  } catch (error) {
    if (!(error instanceof EffectFailed)) throw error;
    const note = messageOf(error);
    ctx.log(`Nothing was recalled: ${note}`, 'warning');
    return { ...NOTHING, note };
  }
}

type Looking = Pick<Recall, 'text' | 'max' | 'withPinned'> & {
  readonly vector: Awaited<ReturnType<typeof embedded>>;
};

async function looked(
  { workspace }: Turn,
  plan: MemoryPlan,
  { text, max, withPinned, vector }: Looking,
): Promise<readonly Remembered[]> {
  const userIds = readableBy(plan.userId);
  return withMemory(workspace, plan, async (memory) => {
    const pinned = withPinned ? await memory.list({ userIds, max, onlyPinned: true }) : [];
    const hits = await memory.search({
      userIds,
      text,
      vector,
      // Some of them may be pinned, and there already.
      max: max + pinned.length,
      minScore: plan.minScore,
      withinMs: plan.timeoutMs,
    });
    const first = new Set(pinned.map(({ id }) => id));
    const others = hits.filter(({ record }) => !first.has(record.id));
    return [...pinned.map(pinnedOf), ...others.map(rememberedOf)].slice(0, max);
  });
}

export interface Remembering {
  /** Of the effect, and so in the journal. */
  readonly name: string;
  readonly by: Exclude<MemorySource['by'], 'operator'>;
  readonly text: string;
}

export type Kept = { readonly id: string; readonly added: Added };

/** @throws EffectFailed */
export async function remember(turn: Turn, plan: MemoryPlan, { name, by, text }: Remembering): Promise<Kept> {
  const { ctx, event, workspace, secrets } = turn;
  const { collection, userId } = plan;
  const kept = keepable(secrets.text(text));
  const vector = await embedded(turn, kept);
  return ctx.effect<Kept>(
    name,
    { class: 'idempotent', args: { collection, userId, text: kept } },
    ({ key }) =>
      written(() =>
        withMemory(workspace, plan, async (memory) => {
          const id = memoryId(key);
          const added = await memory.add({
            id,
            userId,
            text: kept,
            createdAt: new Date().toISOString(),
            source: { by, process: ctx.process, eventId: event.eventId, key },
            metadata: {},
            isPinned: false,
            vector,
          });
          return { id, added };
        }),
      ),
  );
}

/** @throws DidNotHappen for what was refused before anything was changed */
export async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof AppError && REFUSED.has(error.code)) throw new DidNotHappen(error.message);
    if (codeOf(error) === 'memory.busy') throw new DidNotHappen(messageOf(error), { retryable: true });
    throw error;
  }
}
