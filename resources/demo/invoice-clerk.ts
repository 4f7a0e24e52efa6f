import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from 'holdfast';

const LEDGER = join(import.meta.dirname, 'ledger.jsonl');
const STEP_MS = 600;

/** A slow bank that knows what it has booked: the same key twice is one line. */
async function book(key: string, line: object): Promise<string> {
  await delay(STEP_MS);
  if (existsSync(LEDGER) && readFileSync(LEDGER, 'utf8').includes(JSON.stringify(key)))
    return 'was booked already';
  const fd = openSync(LEDGER, 'a');
  try {
    writeSync(fd, `${JSON.stringify({ key, ...line })}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return 'booked';
}

export default defineAgent({
  async onTrigger(ctx) {
    const invoice = (ctx.state.get<number>('invoices_booked') ?? 0) + 1;
    for (const account of ['receivables', 'tax', 'revenue']) {
      const args = { invoice, account };
      await ctx.effect(`book-${account}`, { class: 'idempotent', args }, (call) => book(call.key, call.args));
    }
    await ctx.state.set('invoices_booked', invoice);
    return `invoice ${invoice} booked`;
  },
});
