import { defineAgent } from 'holdfast';

const START_PRICE = 100;

export default defineAgent({
  async onTrigger(ctx) {
    const last = ctx.state.get<number>('price') ?? START_PRICE;
    // Reading a price changes nothing, so reading it twice is harmless; which price it was is recorded all the same.
    const price = await ctx.effect('read-price', { class: 'retry', args: { last } }, async ({ args }) => {
      const change = (Math.random() - 0.5) * 2;
      return Math.round((args.last + change) * 100) / 100;
    });
    await ctx.state.set('price', price);
    const count = await ctx.state.update<number>('reports_written', (written) => (written ?? 0) + 1);
    return `report ${count}: ${price.toFixed(2)}`;
  },
});
