// Signals tell an invocation something while it is under way; queries ask it something, out of its own code. Both work
// after its worker was killed, and no signal is heard twice.
//
//   node resources/examples/signal-and-query.ts

import { defineAgent } from 'holdfast';

export default defineAgent({
  async onTrigger(ctx) {
    const basket: string[] = [];
    let isClosed = false;
    ctx.onSignal<string>('add', (item) => void basket.push(item));
    ctx.onSignal('checkout', () => {
      isClosed = true;
    });
    ctx.onQuery('basket', () => basket);
    await ctx.until(() => isClosed);
    await ctx.state.set('ordered', basket);
    return `ordered ${basket.join(', ')}`;
  },
});

if (import.meta.main) {
  const { OPERATOR, runAgent } = await import('./run-agent.ts');
  await runAgent(import.meta.filename, async (agent) => {
    const signal = (id: string, name: string, payload: string | null): Promise<void> =>
      agent.process().desk.signal(id, name, payload, OPERATOR);
    const basket = async (): Promise<string> =>
      JSON.stringify(await agent.process().queries.ask('basket', null, null));

    await agent.trigger();
    await agent.until(({ snapshot, live }) => snapshot.open.length === 1 && live.worker !== null);
    await signal('1', 'add', 'bread');
    await signal('2', 'add', 'salt');
    console.log(`basket: ${await basket()}`);
    await agent.loseWorker();
    console.log('its worker was killed');
    // Sent again, as whoever is not sure that it arrived would: the id says that it is the same.
    await signal('2', 'add', 'salt');
    console.log(`basket: ${await basket()}`);
    await signal('3', 'checkout', null);
    console.log(`ended: ${await agent.ended()}`);
  });
}
