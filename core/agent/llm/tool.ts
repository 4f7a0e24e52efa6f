// What the loop of a model agent knows of tools, wherever they come from: servers that speak MCP, memory, people, or what
// an open agent may do to itself. What a source offers is recorded with the invocation that uses it [S25], so it is plain
// data; calling is asked of the source again, by the offer.

import type { JSONSchema7 } from '@ai-sdk/provider';
import type { EffectClass } from '../../model/effects.ts';
import type { AgentPlan } from '../../model/agent-plan.ts';
import type { Json } from '../../model/json.ts';
import type { Decider } from '../../model/tools.ts';
import type { AgentContext, AgentEvent, EffectCall, Reconciled } from '../define-agent.ts';
import type { RunDetails } from '../run-invocation.ts';

export interface ToolOffer {
  /** As the model calls it: 1 to 64 letters, digits, `_` and `-`; no two offers of a turn have the same. */
  readonly name: string;
  readonly description: string;
  /** Of the arguments, which are an object. */
  readonly inputSchema: JSONSchema7;
  /** Whose it is, for a person: `mcp:files`, `memory`, `people`, `self`. */
  readonly source: string;
  /** What its source calls it. */
  readonly tool: string;
  /**
   * `effect`: the loop announces, performs and records each call as an effect of this class. `direct`: its source goes
   * through `ctx` by itself.
   */
  readonly how: 'effect' | 'direct';
  readonly class: EffectClass;
  /** Who said that it is of this class; for a person, and so that what is believed is known [S32]. */
  readonly decidedBy?: Decider;
  /** Of class `idempotent`: the argument that takes the key; null where the call itself carries it. */
  readonly keyArgument: string | null;
  readonly timeoutMs: number | null;
  /** Whether somebody has to approve each call. */
  readonly asks: boolean;
  /** SHA-256 in hex over what its source says of it, so that a change is noticed. */
  readonly fingerprint: string;
}

export interface ToolRequest {
  readonly args: Json;
  /** Those of an effect; one that is `direct` has the id of the model's call for a key, and no attempts. */
  readonly key: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What the model gets to read. Plain JSON, for it is recorded. */
export type ToolAnswer = {
  readonly text: string;
  /** The tool says that it failed. */
  readonly isError: boolean;
  /** Of a text that was cut, and says so: how many bytes it had. */
  readonly cutFromBytes?: number;
};

/** What one run of an invocation has for its parts. */
export interface Turn extends RunDetails {
  readonly ctx: AgentContext;
  readonly event: AgentEvent;
  readonly plan: AgentPlan;
}

/** Lives as long as its worker; several turns may use it at once. */
export interface ToolSource {
  /** What there is now. It looks only, and not for ever; one that can't be asked offers nothing and says why. */
  list(turn: Turn): Promise<ToolList>;
  /**
   * @throws DidNotHappen where it certainly did not; what else is thrown leaves that open [S28]
   */
  call(turn: Turn, offer: ToolOffer, request: ToolRequest): Promise<ToolAnswer>;
  /** Of offers of class `reconcile`. */
  reconcile?(
    turn: Turn,
    offer: ToolOffer,
    request: Omit<EffectCall<Json>, 'used'>,
  ): Promise<Reconciled<ToolAnswer>>;
  close(): Promise<void>;
}

export type ToolList = {
  readonly offers: readonly ToolOffer[];
  /** For a person and for the model, one line each. */
  readonly problems: readonly string[];
};

/** Whether a call may be made, and with which arguments. */
export type Verdict = Approved | { readonly isApproved: false; readonly why: string };

export interface Approved {
  readonly isApproved: true;
  readonly args: Json;
  /** The same with secrets by their names, as a person edited them; left out where there are none in them. */
  readonly edited?: Json;
}

/** Asks whoever has to approve a call; waits as long as that takes, also over restarts. */
export interface Approver {
  (turn: Turn, offer: ToolOffer, args: Json, why: string): Promise<Verdict>;
}

/** What is remembered beside the conversation. */
export interface TurnMemory {
  /** What of it belongs to this text, as something to read; null for nothing. */
  recall(turn: Turn, text: string): Promise<string | null>;
  /** What was asked and answered is kept, where the plan says so. */
  store(turn: Turn, asked: string, reply: string): Promise<void>;
}
