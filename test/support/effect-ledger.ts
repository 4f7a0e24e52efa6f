// What really happened, kept by a program of its own that nobody kills: agents' effects call it, operators ask it, and in the
// end the judge reads it. One for many lives of agents, told apart by name.
//
//   node effect-ledger.ts <socket>

import { createServer } from 'node:net';
import type { EffectClass } from '../../core/model/effects.ts';

export interface Act {
  /** The payload of the event. */
  readonly n: number;
  readonly effect: string;
  readonly effectClass: EffectClass;
  readonly key: string;
}

export interface LifeLedger {
  /** What was done to the world, in order. */
  readonly acts: Act[];
  /** Repetitions under a key that was known, by which nothing is done. */
  readonly repeats: Act[];
  /** Keys that a `reconcile` asked about. */
  readonly asked: string[];
  /** Events that their source was told are accepted. */
  readonly accepted: string[];
}

export type LedgerRequest =
  | ({ readonly op: 'act'; readonly life: string } & Act)
  | { readonly op: 'reconcile' | 'look'; readonly life: string; readonly key: string }
  | { readonly op: 'accepted'; readonly life: string; readonly eventId: string }
  | { readonly op: 'life'; readonly life: string };

export interface LedgerAnswers {
  readonly act: { readonly result: string };
  readonly reconcile: { readonly result: string | null };
  readonly look: { readonly result: string | null };
  readonly accepted: { readonly ok: true };
  readonly life: LifeLedger;
}

const lives = new Map<string, LifeLedger>();

function ledgerOf(life: string): LifeLedger {
  let ledger = lives.get(life);
  if (ledger === undefined) {
    ledger = { acts: [], repeats: [], asked: [], accepted: [] };
    lives.set(life, ledger);
  }
  return ledger;
}

function resultOf({ effect, n }: Pick<Act, 'effect' | 'n'>): string {
  return `${effect} of ${n}`;
}

function answer(request: LedgerRequest): LedgerAnswers[keyof LedgerAnswers] {
  const ledger = ledgerOf(request.life);
  switch (request.op) {
    case 'act': {
      const { n, effect, effectClass, key } = request;
      const act: Act = { n, effect, effectClass, key };
      // What an idempotent provider does: the same key twice is done once.
      const isKnown = effectClass === 'idempotent' && ledger.acts.some((other) => other.key === key);
      (isKnown ? ledger.repeats : ledger.acts).push(act);
      return { result: resultOf(act) };
    }
    case 'reconcile':
      ledger.asked.push(request.key);
      return { result: found(ledger, request.key) };
    case 'look':
      return { result: found(ledger, request.key) };
    case 'accepted':
      ledger.accepted.push(request.eventId);
      return { ok: true };
    case 'life':
      lives.delete(request.life);
      return ledger;
  }
}

function found({ acts }: LifeLedger, key: string): string | null {
  const act = acts.find((other) => other.key === key);
  return act === undefined ? null : resultOf(act);
}

const [, , socketPath] = process.argv;
createServer((socket) => {
  let text = '';
  socket.setEncoding('utf8');
  // Whoever asked may be killed before it is answered; what it asked for is done all the same. What it did not get to say is
  // no question.
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: string) => {
    text += piece;
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) socket.write(`${JSON.stringify(answer(JSON.parse(line) as LedgerRequest))}\n`);
  });
}).listen(socketPath, () => process.stdout.write('listening\n'));
