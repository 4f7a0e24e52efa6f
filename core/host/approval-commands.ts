// An operator's decision about what an agent asks.

import type { RequestOf } from '../contract/requests.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Decided, DecisionOrder } from '../runtime/approval-desk.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { parseJson } from './parse-json.ts';

/** What came of it, or how it stands where somebody or the time was first. */
export async function decideApproval(
  process: AgentProcess,
  { promiseId, decision }: RequestOf<'approvals.decide'>,
  actor: Actor,
): Promise<string> {
  const { isFirst, end, by, what } = await process.approvals.decide(promiseId, orderOf(decision), actor);
  if (isFirst) return `${capital(what)} is ${end}. ${NEXT[end]}`;
  if (end === 'expired') return `${capital(what)} expired before, and stays so: nothing was decided now.`;
  const whose = by === '' ? '' : ` by ${by}`;
  return `${capital(what)} was ${end} before${whose}, and stays so: nothing was decided now.`;
}

const NEXT: Readonly<Record<Decided['end'], string>> = {
  approved: 'It is made when its invocation goes on.',
  rejected: 'The agent is told why, and goes on without it.',
  answered: 'The agent gets the answer.',
  expired: '',
};

function orderOf(decision: RequestOf<'approvals.decide'>['decision']): DecisionOrder {
  switch (decision.kind) {
    case 'approve':
      return decision.argsText === undefined
        ? { kind: 'approve' }
        : { kind: 'approve', args: parseJson(decision.argsText, 'arguments') };
    case 'reject':
      return { kind: 'reject' };
    case 'answer':
      return { kind: 'answer', text: decision.text };
  }
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
