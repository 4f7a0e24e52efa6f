export {
  defineAgent,
  type AgentContext,
  type AgentDefinition,
  type AgentState,
  type Conversation,
  type ConversationMessage,
  type DurablePromise,
  type EffectCall,
  type EffectOptions,
  type Opinion,
  type ModelTokens,
  type PromiseOptions,
  type Reconciled,
  type RetryOptions,
} from './define-agent.ts';
export {
  DidNotHappen,
  EffectFailed,
  PromiseExpired,
  PromiseRejected,
  SecretUnavailable,
  TerminalError,
} from './effect-errors.ts';
export type { JudgedEffect, JudgedRun, JudgeView } from '../model/judge.ts';
export type { InboxMessage } from '../model/inbox.ts';
export type { TriggerEvent } from '../model/entry.ts';
export type { Json, JsonObject } from '../model/json.ts';
