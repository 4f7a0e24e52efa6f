// What a host does to its journal, in small: each runs the same way every time.

import type { JsonObject } from '../../core/model/json.ts';
import type { Session } from './session.ts';

/** Opens the journal again, as the host does after a restart. */
export type Reopen = () => Promise<Session>;
export interface World {
  /** Resolves when the disk was synced once more. */
  readonly synced: () => Promise<void>;
  /** Leaves half a line at the end of a process's journal, durably, as a crash may. */
  readonly tear: (process: string) => void;
}
export type Workload = (reopen: Reopen, world: World) => Promise<void>;

const text = (bytes: number): string => 'x'.repeat(bytes);

function update(n: number, bytes = 20): JsonObject {
  return { key: `key-${n % 3}`, value: n, text: text(bytes) };
}

/** One event from its acceptance to its result, with a context write and an effect in between. */
async function cycle(session: Session, process: string, n: number): Promise<void> {
  const event_id = `${process}-event-${n}`;
  const effect_id = `${event_id}/book/0`;
  const say = (entry_type: string, data: JsonObject, synced = false): Promise<unknown> =>
    session.append(process, entry_type, data, { synced });
  await say('trigger_event', { event_id, trigger_id: 'manual', trigger_type: 'manual', payload: n });
  await Promise.all([
    say('invocation_start', { event_id, invocation: n, attempt: 1, code_hash: 'code' }),
    say('context_update', { key: 'count', value: n, event_id, ordinal: 0 }),
  ]);
  const announced = {
    event_id,
    effect_id,
    name: 'book',
    occurrence: 0,
    class: 'idempotent',
    args_hash: 'args',
    args_preview: '{}',
    key: effect_id,
    attempt: 1,
  };
  // Nothing is done to the world before that is durable [S29].
  await say('effect_started', announced, true);
  // What follows an outcome does not wait for it [S29].
  await Promise.all([
    say('effect_finished', { effect_id, end: 'done', result: { note: text(60) } }),
    say('invocation_result', { event_id, invocation: n, duration_ms: 1, response: '' }),
  ]);
}

const PROCESS = 'one';

/** One process, one entry at a time, over two lives. */
export const single: Workload = async (reopen) => {
  const first = await reopen();
  await first.claim(PROCESS);
  for (const [n, bytes] of [20, 0, 900, 70, 3_500].entries()) {
    await first.append(PROCESS, 'context_update', update(n, bytes));
  }
  await first.checkpoint(PROCESS);
  await first.append(PROCESS, 'context_update', update(6));
  await first.close();
  const second = await reopen();
  await second.claim(PROCESS);
  await second.append(PROCESS, 'context_update', update(7, 300));
  await second.append(PROCESS, 'context_update', update(8));
};

/** Entries lined up while a sync is under way, in batches that are longer than a page. */
export const batches: Workload = async (reopen) => {
  const session = await reopen();
  await session.claim(PROCESS);
  for (let batch = 0; batch < 3; batch += 1) {
    await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        await session.append(PROCESS, 'context_update', update(n, (n * 7919) % 2_500));
        // Who was just acknowledged goes on at once, and is in the next batch.
        if (n % 3 === 0) await session.append(PROCESS, 'context_update', update(n + 10, 400));
      }),
    );
  }
  await session.checkpoint(PROCESS);
  await Promise.all(
    Array.from({ length: 3 }, (_, n) => session.append(PROCESS, 'log', { n, text: text(200) })),
  );
};

/** Three processes at once, each at its own pace. */
export const several: Workload = async (reopen) => {
  const session = await reopen();
  await Promise.all(
    ['one', 'two', 'three'].map(async (process, at) => {
      await session.claim(process);
      for (let n = 1; n <= 3 - at; n += 1) await cycle(session, process, n);
      await session.checkpoint(process);
      await session.append(process, 'context_update', update(at, 100));
    }),
  );
};

/** Whole cycles with a checkpoint after each, and a restart. */
export const checkpoints: Workload = async (reopen) => {
  for (let life = 0; life < 2; life += 1) {
    const session = await reopen();
    await session.claim(PROCESS);
    for (let n = 1; n <= 2; n += 1) {
      await cycle(session, PROCESS, 2 * life + n);
      // What comes right behind a checkpoint does not wait for it.
      await Promise.all([
        session.checkpoint(PROCESS),
        session.append(PROCESS, 'log', { n, text: text(30) }),
        session.append(PROCESS, 'log', { n, text: text(30) }),
      ]);
    }
    if (life === 0) await session.close();
  }
};

/** Long enough to begin several segments, where they are small. */
export const segments: Workload = async (reopen) => {
  for (let life = 0; life < 2; life += 1) {
    const session = await reopen();
    await session.claim(PROCESS);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        Array.from({ length: 4 }, (_, n) => session.append(PROCESS, 'context_update', update(n, 900))),
      );
      await Promise.all([
        session.checkpoint(PROCESS),
        session.append(PROCESS, 'context_update', update(round, 50)),
        session.append(PROCESS, 'context_update', update(round, 50)),
      ]);
    }
    if (life === 0) await session.close();
  }
};

/** Entries and a checkpoint behind them that go out together, over several pages. */
export const checkpointInBatch: Workload = async (reopen) => {
  const session = await reopen();
  await session.claim(PROCESS);
  for (let round = 0; round < 2; round += 1) {
    await session.append(PROCESS, 'context_update', update(round));
    await Promise.all([
      session.append(PROCESS, 'log', { text: text(2_000) }),
      session.append(PROCESS, 'log', { text: text(3_000) }),
      session.append(PROCESS, 'log', { text: text(2_500) }),
      session.checkpoint(PROCESS),
      session.append(PROCESS, 'log', { text: text(100) }),
    ]);
  }
};

/** Two processes that both begin segments. */
export const segmentsOfTwo: Workload = async (reopen) => {
  const session = await reopen();
  await Promise.all(
    ['one', 'two'].map(async (process) => {
      await session.claim(process);
      for (let round = 0; round < 2; round += 1) {
        for (let n = 0; n < 3; n += 1) await session.append(process, 'context_update', update(n, 1_500));
        await session.checkpoint(process);
        await session.append(process, 'context_update', update(round, 50));
      }
    }),
  );
};

/** Waits now and then until what was written is synced, and goes on before the next is. */
export const paced: Workload = async (reopen, { synced }) => {
  const session = await reopen();
  await session.claim(PROCESS);
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 3; n += 1) await session.append(PROCESS, 'context_update', update(n, 600));
    await synced();
    await session.append(PROCESS, 'context_update', update(round, 1_500));
    if (round === 1) await session.checkpoint(PROCESS);
  }
};

/** Large values that lie beside the journal, and a checkpoint that still names one of them. */
export const spills: Workload = async (reopen) => {
  const session = await reopen();
  await session.claim(PROCESS);
  for (let n = 0; n < 3; n += 1) {
    const value = await session.spill(PROCESS, Buffer.alloc(5_000 + n, String(n)));
    await session.append(PROCESS, 'context_update', { key: 'large', value });
    await session.append(PROCESS, 'context_update', update(n, 1_000));
    await session.checkpoint(PROCESS);
  }
};

/** Wants every entry acknowledged: takes the process over again, or opens the journal again, after whatever was refused. */
export const stubborn: Workload = async (reopen, { tear }) => {
  let session: Session | null = null;
  const close = async (): Promise<void> => {
    await session?.close().catch(() => {}); // failing, it lets go all the same
    session = null;
  };
  const insist = async (act: (session: Session) => Promise<unknown>): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (session === null) {
          session = await reopen();
          await session.claim(PROCESS);
        }
        await act(session);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        try {
          await session?.claim(PROCESS);
        } catch {
          // Then a new host comes.
          await close();
        }
      }
    }
  };
  for (let round = 0; round < 3; round += 1) {
    for (const bytes of [20, 1_200, 700]) {
      await insist((live) => live.append(PROCESS, 'context_update', update(round, bytes)));
    }
    await insist((live) =>
      Promise.all([
        live.append(PROCESS, 'context_update', update(round, 90)),
        live.append(PROCESS, 'context_update', update(round, 2_000)),
      ]),
    );
    await insist(async (live) => {
      const value = await live.spill(PROCESS, Buffer.alloc(4_100, String(round)));
      await live.append(PROCESS, 'context_update', { key: 'large', value });
    });
    await insist((live) => live.checkpoint(PROCESS));
    if (round !== 1) continue;
    await close();
    tear(PROCESS);
  }
};
const ATTEMPTS = 6;

/** Goes on where a crash left things. */
export const recovery: Workload = async (reopen) => {
  const session = await reopen();
  await session.claim(PROCESS);
  await session.append(PROCESS, 'context_update', update(90));
  await session.checkpoint(PROCESS);
  await session.append(PROCESS, 'context_update', update(91));
};
