// A reconciler of the library: a file is written, and the worker is killed right behind that, before anybody could record it.
// Nobody is asked, and it is not written again: what lies there says that it happened.
//
//   node resources/examples/reconciler.ts

import { statSync } from 'node:fs';
import { defineAgent, fileContent, fileHash } from 'holdfast';
import { act, lookAround } from './world.ts';

export default defineAgent({
  async onTrigger(ctx, { payload }) {
    const { world } = payload as { world: string };
    const path = `${world}.prices`;

    // What is there before is what makes *it did not happen* certain.
    const before = await ctx.effect('look', { class: 'retry' }, () => fileHash(path));

    // Mostly it is `ctx.effect('write', ...fileContent({ … }))`; here the worst moment stands behind the second half.
    const [options, perform] = fileContent({ path, content: 'bread 5\n', before, timeoutMs: 3_000 });
    const { bytes } = await ctx.effect('write', options, async (call) => {
      const written = await perform(call);
      act(world, `the prices were written, attempt ${call.attempt}`);
      if (call.attempt === 1) process.kill(process.pid, 'SIGKILL');
      return written;
    });
    return `${bytes} bytes`;
  },
});

if (import.meta.main) {
  const { runAgent } = await import('./run-agent.ts');
  await runAgent(import.meta.filename, async (agent, world) => {
    await agent.trigger();
    console.log(`ended: ${await agent.ended()}`);
    console.log(`there: ${statSync(`${world}.prices`).size} bytes`);
    for (const line of lookAround(world)) console.log(`world: ${line}`);
  });
}
