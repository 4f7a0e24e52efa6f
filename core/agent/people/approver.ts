// Asks a person whether a tool may be called. The question is a durable promise, so it waits over every restart of worker
// and host, and its answer is in the journal: a re-run gets the same one, and nobody is asked twice. What the asking reads
// besides (the present file, for a diff) goes only into what is shown.

import {
  APPROVAL_PREFIX,
  approvalData,
  argsProblem,
  decisionOf,
  MAX_ARGS_PREVIEW,
  MAX_WHOLE_ARGS,
  MAX_WHY,
  type ApprovalAsk,
} from '../../model/approval.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { jsonBytes } from '../../model/limits.ts';
import { restored, type Restored } from '../../model/placeholder.ts';
import { PromiseExpired, PromiseRejected } from '../effect-errors.ts';
import type { Approver, ToolOffer, Turn, Verdict } from '../llm/tool.ts';
import { changesOf } from './change-diff.ts';

/** A schema that is larger helps nobody who edits arguments. */
const MAX_SCHEMA = 16 * 1024;
/** Decisions that can't be used, of whoever settles the promise past the console. */
const MAX_ROUNDS = 20;

export const approver: Approver = async (turn, offer, args, why) => {
  const { ctx, plan } = turn;
  const { expiresAfterMs, onExpiry } = plan.approval;
  let problem = '';
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const data = approvalData(askOf(turn, offer, { args, why, problem }), expiresAfterMs);
    const expiry = expiresAfterMs === null ? {} : { expiresInMs: expiresAfterMs };
    let settled: Json;
    try {
      settled = await ctx.promise(`${APPROVAL_PREFIX}${offer.name}`, { data, ...expiry });
    } catch (error) {
      if (error instanceof PromiseRejected) return refused(`Nobody approves it: ${error.message}`);
      if (!(error instanceof PromiseExpired)) throw error;
      return onExpiry === 'approve'
        ? { isApproved: true, args }
        : refused('Nobody decided about it in time, so it was not done.');
    }
    const decision = decisionOf(settled);
    if (decision.verdict === 'reject') {
      return refused(
        decision.reason === '' ? 'A person rejected it.' : `A person rejected it: ${decision.reason}`,
      );
    }
    if (decision.verdict === 'approve') {
      if (decision.args === undefined) return { isApproved: true, args };
      const edited = editedArgs(offer, args, decision.args);
      if (!('problem' in edited)) return { isApproved: true, args: edited.args, edited: decision.args };
      problem = `The edited arguments can not be used: ${edited.problem}`;
    } else problem = decision.problem;
  }
  return refused(`No decision about it could be used. The last one: ${problem}.`);
};

/** What a person did not see, and left where it stood, is as it was asked for. */
function editedArgs(offer: ToolOffer, asked: Json, given: Json): Restored {
  const found = restored(asked, given);
  if ('problem' in found) return found;
  const problem = argsProblem(schemaOf(offer), found.args);
  return problem === null ? found : { problem };
}

function refused(why: string): Verdict {
  return { isApproved: false, why };
}

function askOf(
  turn: Turn,
  offer: ToolOffer,
  { args: asked, why, problem }: { readonly args: Json; readonly why: string; readonly problem: string },
): ApprovalAsk {
  // Before anything is cut: half of a secret would be known for none.
  const args = turn.secrets.json(asked);
  const argsBytes = jsonBytes(args);
  const schema = schemaOf(offer);
  return {
    kind: 'approval',
    tool: offer.name,
    source: offer.source,
    effectClass: offer.class,
    args: argsBytes <= MAX_WHOLE_ARGS ? args : undefined,
    argsPreview: beginning(JSON.stringify(args), MAX_ARGS_PREVIEW),
    argsBytes,
    why: beginning(why, MAX_WHY),
    diffs: changesOf(turn, offer, args),
    schema: jsonBytes(schema) <= MAX_SCHEMA ? schema : null,
    onExpiry: turn.plan.approval.onExpiry,
    problem: beginning(problem, MAX_WHY),
  };
}

/** A schema is JSON. */
function schemaOf({ inputSchema }: ToolOffer): JsonObject {
  return inputSchema;
}

function beginning(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
