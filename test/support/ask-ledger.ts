import { connect } from 'node:net';
import type { LedgerAnswers, LedgerRequest } from './effect-ledger.ts';

/** Asks the ledger that listens there; one connection for each question, as from program to program. */
export async function askLedger<R extends LedgerRequest>(
  socketPath: string,
  request: R,
): Promise<LedgerAnswers[R['op']]> {
  const socket = connect(socketPath);
  socket.setEncoding('utf8');
  socket.write(`${JSON.stringify(request)}\n`);
  let text = '';
  for await (const piece of socket as AsyncIterable<string>) {
    text += piece;
    if (text.endsWith('\n')) return JSON.parse(text) as LedgerAnswers[R['op']];
  }
  throw new Error(`The ledger at ${socketPath} hung up on ${request.op}.`);
}
