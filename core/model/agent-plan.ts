// What an agent that has no code of its own is made of: models, tools, memory, and who has to be asked. Plain data, as its
// manifest says it. An invocation keeps the plan that it began with [S25].

import type { EffectClass } from './effects.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** A server of tools that the agent starts: nothing of the host's environment comes to it but what is named here. */
export interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  /** Texts in which `${NAME}` stands for the secret of that name; they are filled in where the server is started. */
  readonly args: readonly string[];
  /** The same. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workspace; the workspace itself where it is empty. */
  readonly cwd: string;
}

export interface HttpServer {
  readonly kind: 'http';
  /** As `args` of a {@link StdioServer}, percent-encoded. */
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse';
  /** As `env` of a {@link StdioServer}. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Of a server that the agent connected itself, where it may lie: its address is looked up and judged again at each
   * connection. `named`: the manifest names it, so it may be at home. Left out for the manifest's own.
   */
  readonly reach?: 'public' | 'named';
}

export type ToolServer = (StdioServer | HttpServer) & {
  /** Whether what it says of its tools decides how they are handled [S32]. */
  readonly isTrusted: boolean;
  /** Directories, relative to the workspace, that it is told it may use. */
  readonly roots: readonly string[];
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
};

/** What a manifest says of one tool, by the name that the model calls it by. What is left out is not said. */
export interface ToolRule {
  readonly class?: EffectClass;
  readonly isDisabled?: boolean;
  /** Whether somebody has to approve each call. */
  readonly asks?: boolean;
  /** Of class `idempotent`: the argument that takes the key [S32]. */
  readonly keyArgument?: string;
  readonly timeoutMs?: number;
}

export interface ApprovalPlan {
  /** Everything that the budget counts as irreversible, and every tool of class `ask`. */
  readonly asksForIrreversible: boolean;
  /** Null: it waits as long as it takes. */
  readonly expiresAfterMs: number | null;
  readonly onExpiry: 'reject' | 'approve';
  /** Tools whose names these fit, in which `*` and `?` stand for others, are asked for as if each had a rule that says so. */
  readonly patterns?: readonly string[];
}

export interface MemoryPlan {
  readonly provider: 'in_memory' | 'sqlite';
  readonly collection: string;
  /** Relative to the workspace; null for the place beside the journal. */
  readonly directory: string | null;
  readonly userId: string;
  readonly isStoredByItself: boolean;
  readonly max: number;
  /** 0 to 1. */
  readonly minScore: number;
  readonly timeoutMs: number;
  /** A model's name for vectors; null for words alone. */
  readonly embeddingModel: string | null;
}

/** What an agent may change about itself. */
export interface OpenPlan {
  readonly mayChangeInstructions: boolean;
  readonly mayManageTriggers: boolean;
  readonly mayConnectServers: boolean;
  readonly mayManageMemory: boolean;
  readonly maySpawn: boolean;
  readonly maxInstructionLength: number;
  readonly maxTriggers: number;
  readonly maxSpawned: number;
  /** Null: as often as it likes. */
  readonly maxRebuilds: number | null;
  /** Empty: any that is not private. */
  readonly allowedUrls: readonly string[];
}

export interface AgentPlan {
  /** The first that can answers; the others are there for when it can't. */
  readonly models: readonly string[];
  readonly modelTimeoutMs: number;
  /** Calls of a model in one turn. */
  readonly maxSteps: number;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  readonly servers: Readonly<Record<string, ToolServer>>;
  readonly tools: Readonly<Record<string, ToolRule>>;
  readonly approval: ApprovalPlan;
  /** Tools that the budget counts as irreversible. */
  readonly irreversibleTools: readonly string[];
  /** Null where it remembers nothing but its conversation. */
  readonly memory: MemoryPlan | null;
  /** Null in strict mode. */
  readonly open: OpenPlan | null;
  readonly hasHistory: boolean;
  /** Estimated tokens of the conversation above which its older part is put into a summary; 0 for never. */
  readonly compactAboveTokens: number;
  readonly maxPayloadChars: number;
  /** Whether it is told what is left of its budget. */
  readonly tellsBudget: boolean;
}

/**
 * What the loop of an agent without code does by itself, as its effects are named: asking its model, and having it put a
 * conversation into a summary. None of it is a call of a tool.
 */
export const LOOP_EFFECTS = { model: 'model', summary: 'summary' } as const;

/** What it remembers around a turn by itself. No tool can be named so. */
export const MEMORY_EFFECTS = { recall: 'memory.recall', store: 'memory.store' } as const;

/** Whether an effect is a call of a tool, for the budget: all are, but for what an agent without code does by itself. */
export function isToolCall(config: { readonly agent: AgentPlan | null }, effect: string): boolean {
  const isOfMemory = (Object.values(MEMORY_EFFECTS) as readonly string[]).includes(effect);
  return !isOfLoop(config, effect) && !(isOfMemory && config.agent !== null);
}

export function isOfLoop({ agent }: { readonly agent: AgentPlan | null }, effect: string): boolean {
  return agent !== null && (Object.values(LOOP_EFFECTS) as readonly string[]).includes(effect);
}

export const DEFAULT_MODEL = 'openai:gpt-5-mini';

export const DEFAULT_PLAN: AgentPlan = {
  models: [DEFAULT_MODEL],
  modelTimeoutMs: 120_000,
  maxSteps: 50,
  maxOutputTokens: null,
  temperature: null,
  servers: {},
  tools: {},
  approval: { asksForIrreversible: false, expiresAfterMs: null, onExpiry: 'reject' },
  irreversibleTools: [],
  memory: null,
  open: null,
  hasHistory: true,
  compactAboveTokens: 100_000,
  maxPayloadChars: 20_000,
  tellsBudget: true,
};

/** A plan as a journal has it; null where there is none. What an earlier version did not say is as it is by default. */
export function planOf(recorded: JsonObject | null): AgentPlan | null {
  return recorded === null ? null : { ...DEFAULT_PLAN, ...(recorded as unknown as Partial<AgentPlan>) };
}

export function planAsJson(plan: AgentPlan | null): JsonObject | null {
  const json = JSON.parse(JSON.stringify(plan)) as Json;
  return isObject(json) ? json : null;
}
