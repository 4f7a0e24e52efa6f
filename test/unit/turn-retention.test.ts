// [S15] What a turn under way goes on with outlives the segments that it was written in: its plan, its list of tools, the answers
// of its model, and a result that lies beside the journal.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { isSpilled } from '../../core/model/effects.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import { toolServer, turnBench, wireModel } from '../support/turns.ts';
import { call, steps } from '../support/wire-model.ts';

const LARGE = 'the whole list '.repeat(20_000);
const MAY_IT =
  "approver: async ({ ctx }, offer, args) => { await ctx.promise('may it'); return { isApproved: true, args }; }";

/** Writes so much more that whatever may be dropped is. */
async function forgetOldSegments(directory: string): Promise<void> {
  const journal = openFileJournal(directory, {
    segmentBytes: 2_000,
    retention: { maxAgeDays: null, maxBytes: 0 },
  });
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 20; n += 1) {
      const data = { key: 'noise', value: `${round} ${n} ${'x'.repeat(100)}` };
      await journal.append({ process_id: 'agent', entry_type: 'context_update', data });
    }
    const { snapshot } = await new ReplayEngine(journal).recover('agent');
    await journal.checkpoint('agent', snapshotToState(snapshot, FOLD_VERSION));
    await journal.settled();
  }
  await journal.close();
}

it('[P2] [S15] [S16] [S25] it ends as if nothing had been dropped, and pays for nothing again', async () => {
  const server = await toolServer({ read: () => LARGE, act: () => 'acted' });
  const model = await wireModel(
    steps({ calls: [call('c1', 'read')] }, { calls: [call('c2', 'act')] }, { text: 'done' }),
  );
  const b = await turnBench({
    models: [model.name('chat')],
    server,
    tools: { read: { class: 'retry' }, act: { class: 'retry', asks: true } },
    parts: MAY_IT,
  });
  await b.trigger('go');
  await b.until('the wait', ({ snapshot }) => snapshot.open[0]?.waits.length === 1);
  const { plan, tools, effects } = b.process.snapshot.open[0]!;
  expect(effects.some(isSpilled)).toBe(true);
  await b.quit();
  await forgetOldSegments(join(b.directory, 'journal'));
  const next = await b.again();
  const types = (await next.entries()).map(({ entry_type }) => entry_type);
  expect(types).toContain('segments_dropped');
  for (const gone of ['agent_planned', 'tools_listed', 'invocation_start']) expect(types).not.toContain(gone);
  const [open] = next.process.snapshot.open;
  expect([open!.plan, open!.tools]).toEqual([plan, tools]);
  await next.process.desk.settlePromise(
    open!.waits[0]!.waitId,
    { status: 'resolved', value: true },
    OPERATOR,
  );
  await next.until('the end', isIdle);
  expect([model.asked.length, server.done.map(({ tool }) => tool)]).toEqual([3, ['read', 'act']]);
  const readBy = (at: number): readonly string[] =>
    model.asked[at]!.question.turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));
  expect(readBy(1)[0]!.length).toBeGreaterThan(64 * 1024);
  expect(readBy(2)).toEqual([...readBy(1), 'acted']);
  const result = (await next.entries()).find(({ entry_type }) => entry_type === 'invocation_result');
  expect(result?.data['response']).toBe('done');
  expect((await next.entries()).filter(({ entry_type }) => entry_type === 'tools_listed')).toEqual([]);
});
