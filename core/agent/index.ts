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
  type ReconcileCall,
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
export { fileContent, fileHash, type FileContentOptions } from './reconcilers/file-content.ts';
export {
  githubComment,
  githubIssue,
  type GithubComment,
  type GithubCommentOptions,
  type GithubIssue,
  type GithubIssueOptions,
} from './reconcilers/github-issue.ts';
export { httpRequest, type HttpRequestOptions } from './reconcilers/http-request.ts';
export {
  findByImap,
  mailMessage,
  type FindByImapOptions,
  type ImapClient,
  type MailMessageOptions,
  type MailSent,
  type MailTransport,
} from './reconcilers/mail-message.ts';
export { postgresRow, type PostgresClient, type PostgresRowOptions } from './reconcilers/postgres-row.ts';
export type { ReconciledEffect, ReconcilerOptions } from './reconcilers/reconciled-effect.ts';
export {
  stripePayment,
  type StripePayment,
  type StripePaymentOptions,
} from './reconcilers/stripe-payment.ts';
export type { JudgedEffect, JudgedRun, JudgeView } from '../model/judge.ts';
export type { InboxMessage } from '../model/inbox.ts';
export type { TriggerEvent } from '../model/entry.ts';
export type { Json, JsonObject } from '../model/json.ts';
