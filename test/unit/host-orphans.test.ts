import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLive } from '../support/open-live.ts';
import { OPERATOR } from '../support/runtime.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

test('[S37] a journal that no manifest defines is shown with what is unfinished, and taken up by one that does', async () => {
  const workspace = tempDirectory();
  const manifest = join(workspace, 'clerk.agent');
  const text = 'name: clerk\nentrypoint: ./clerk.ts\n';
  writeFileSync(manifest, text);
  writeFileSync(
    join(workspace, 'clerk.ts'),
    `import { defineAgent } from 'holdfast';
     export default defineAgent({ async onTrigger(ctx) { await ctx.promise('approve'); } });`,
  );
  const first = await openLive(workspace);
  const clerk = first.live.runtime.process('clerk');
  await clerk.trigger(null);
  await waitFor(() => clerk.snapshot.open[0]?.waits.length === 1, { what: 'the promise' });
  await clerk.suspend(OPERATOR);
  await clerk.trigger(null);
  await first.close();

  rmSync(manifest);
  writeFileSync(join(workspace, 'other.agent'), text.replace('clerk', 'other'));
  const without = await openLive(workspace);
  const row = without.live.rows().find(({ name }) => name === 'clerk');
  expect(row).toMatchObject({ name: 'clerk', live: false, state: 'suspended', tone: 'alarm', actions: [] });
  expect(row!.why).toContain('1 event, 1 unfinished invocation, 1 promise');
  expect(without.live.detail('clerk').open).toHaveLength(1);
  expect((await without.live.timeline('clerk', 10, null)).rows.length).toBe(10);
  await without.close();

  writeFileSync(manifest, text);
  const again = await openLive(workspace);
  expect(again.live.rows()).toMatchObject([
    { name: 'clerk', live: true, queued: 1 },
    { name: 'other', live: true },
  ]);
});
