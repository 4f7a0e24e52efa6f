// What the host and a worker say to each other: plain data over any channel that keeps order. The host numbers its
// workers, and each handing over of an invocation, the run; what an earlier one says late belongs to nobody.

import type { AgentPlan } from './agent-plan.ts';
import type { EffectClass, EffectEnd, RecordedEffect } from './effects.ts';
import type { TriggerEvent } from './entry.ts';
import type { InboxMessage } from './inbox.ts';
import type { Json, JsonObject } from './json.ts';
import type { JudgeView } from './judge.ts';
import type { MessageKind } from './messages.ts';
import type { ReportedUse } from './model-calls.ts';
import type { TokensUsed } from './prices.ts';
import type { SecretRefusal } from './secrets.ts';
import type { HostAnswer } from './self-actions.ts';
import type { ToldAtStart } from './told.ts';
import type {
  RecordedCompaction,
  RecordedSaying,
  RecordedSend,
  RecordedSignal,
  RecordedWrite,
} from './snapshot.ts';
import type { ServerStatus } from './tools.ts';
import type { DurableWait, WaitEnd } from './waits.ts';

/** What the journal has of an invocation when it is handed to a worker. */
export interface InvocationRecord {
  readonly attemptSeq: number;
  readonly seed: string;
  /** The context as of the start of the invocation, and what the journal has of it since [S23]. */
  readonly state: Readonly<Record<string, Json>>;
  readonly conversation: readonly JsonObject[];
  readonly inbox: readonly InboxMessage[];
  readonly effects: readonly RecordedEffect[];
  readonly writes: readonly RecordedWrite[];
  readonly sayings: readonly RecordedSaying[];
  readonly compactions: readonly RecordedCompaction[];
  readonly sends: readonly RecordedSend[];
  readonly waits: readonly DurableWait[];
  readonly signals: readonly RecordedSignal[];
  readonly clock: readonly number[];
  readonly versions: Readonly<Record<string, number>>;
  readonly instructions: string;
  /** What it is made of where it has no code of its own; null for a code agent. */
  readonly plan: AgentPlan | null;
  /** The tools that it found; null before it looked [S25]. Plain data, in the order in which they were listed. */
  readonly tools: { readonly offers: readonly JsonObject[]; readonly problems: readonly string[] } | null;
  /** What trusted sources said of their tools when they were believed, by `<source>/<tool>` [S32]. */
  readonly believedTools: Readonly<Record<string, string>>;
  /** What it was told of its process when it began. */
  readonly told: ToldAtStart;
  /** The fork that took it over, whose promises are its own [S40]; empty for an invocation of the process's own. */
  readonly inheritedBy: string;
}

/**
 * `run`: the real thing. `look`: only as far as the record goes, to answer queries; nothing new is done. `check`: the
 * same, also of an invocation that has ended, to see whether the code still does what was recorded; what it says of a
 * divergence is JSON, `{expected, found}`.
 */
export type RunMode = 'run' | 'look' | 'check';

/** The generation of a worker that only looks: the process's own begin at 1. */
export const LOOKING = 0;

export type ToWorker =
  | {
      readonly type: 'invoke';
      readonly run: number;
      readonly mode: RunMode;
      readonly event: TriggerEvent;
      readonly process: string;
      /** Absolute path of the workspace. */
      readonly workspace: string;
      readonly attempt: number;
      readonly record: InvocationRecord;
      /** Begins every default idempotency key, so that keys of different journals never meet. */
      readonly keyPrefix: string;
      /** Whether it outlives its host; without a journal nothing may be waited for that does. */
      readonly isDurable: boolean;
      /** The keys of the state that the agent may write; all of them where there are none. */
      readonly writableKeys: readonly string[];
    }
  /** The announcement is durable: act. */
  | { readonly type: 'effect-permitted'; readonly run: number; readonly effectId: string }
  /** It was not announced and may not be performed. */
  | {
      readonly type: 'effect-refused';
      readonly run: number;
      readonly effectId: string;
      readonly code: string;
      readonly message: string;
    }
  /** The outcome is in the journal: go on. */
  | { readonly type: 'effect-recorded'; readonly run: number; readonly effectId: string }
  | {
      readonly type: 'host-answered';
      readonly run: number;
      readonly id: number;
      readonly answer: HostAnswer;
    }
  | { readonly type: 'secret-told'; readonly run: number; readonly id: number; readonly answer: SecretAnswer }
  | { readonly type: 'wait-ended'; readonly run: number; readonly waitId: string; readonly end: WaitEnd }
  | { readonly type: 'signal'; readonly run: number; readonly signal: RecordedSignal }
  | {
      readonly type: 'query';
      readonly run: number;
      readonly id: number;
      readonly name: string;
      readonly args: Json;
    }
  /** Of a worker that does nothing else: say what to think of the mission. */
  | { readonly type: 'judge'; readonly view: JudgeView }
  /** Take no more work, and exit once nothing is under way. */
  | { readonly type: 'end' }
  | { readonly type: 'ping'; readonly id: number };

export type FromWorker =
  | { readonly type: 'ready' }
  | {
      readonly type: 'effect-announced';
      readonly run: number;
      readonly effectId: string;
      readonly name: string;
      readonly occurrence: number;
      readonly effectClass: EffectClass;
      readonly argsHash: string;
      readonly args: Json;
      readonly key: string;
      readonly keyTtlMs: number | null;
      readonly timeoutMs: number | null;
      readonly attempt: number;
      /** The model that it calls, and how many tokens at most its code expects that to take. */
      readonly model?: string;
      readonly expects?: TokensUsed;
    }
  | {
      readonly type: 'effect-ended';
      readonly run: number;
      readonly effectId: string;
      readonly end: EffectEnd;
      /** What whoever it was done with answered, where that is how the end is known. */
      readonly reconciled: boolean;
      /** Whether the run waits for its turn; a run in which nothing else goes on has no need to. */
      readonly isAwaited: boolean;
      /** What its code told that this attempt used of its model. */
      readonly used?: ReportedUse;
    }
  /** Asked for with other arguments than those it was done with before the rewind; not performed. */
  | {
      readonly type: 'effect-unlike';
      readonly run: number;
      readonly effectId: string;
      readonly argsHash: string;
      readonly args: Json;
    }
  | {
      readonly type: 'wait-began';
      readonly run: number;
      readonly waitId: string;
      readonly kind: DurableWait['kind'];
      readonly name: string;
      readonly occurrence: number;
      readonly data: Json;
      /** From now, or, where it is null, at `dueAt`; both null for never. Milliseconds. */
      readonly dueInMs: number | null;
      readonly dueAt: number | null;
    }
  | {
      readonly type: 'state-written';
      readonly run: number;
      readonly ordinal: number;
      readonly key: string;
      readonly value: Json;
      readonly deleted: boolean;
    }
  | {
      readonly type: 'said';
      readonly run: number;
      readonly ordinal: number;
      readonly role: string;
      readonly content: string;
    }
  /** The older part of the conversation as it was at the start, but for the last `keep` messages, was put into words. */
  | {
      readonly type: 'compacted';
      readonly run: number;
      readonly ordinal: number;
      readonly keep: number;
      readonly count: number;
      readonly summary: string;
    }
  | { readonly type: 'clock-read'; readonly run: number; readonly ordinal: number; readonly at: number }
  | {
      readonly type: 'version-chosen';
      readonly run: number;
      readonly name: string;
      readonly version: number;
    }
  | {
      readonly type: 'message-sent';
      readonly run: number;
      readonly kind: MessageKind;
      readonly topic: string;
      readonly occurrence: number;
      readonly data: Json;
      readonly argsHash: string;
    }
  /** What it is offered from here on; nothing waits for the journal, and what comes of it stands behind this. */
  | {
      readonly type: 'tools-listed';
      readonly run: number;
      readonly offers: readonly JsonObject[];
      readonly problems: readonly string[];
    }
  /** How it gets on with its servers of tools, all of them; of no run, and on no record. */
  | { readonly type: 'tool-servers'; readonly servers: readonly ServerStatus[] }
  /** What somebody who looks may see of a model's call under way; null once it is over. None of it is recorded. */
  | { readonly type: 'glimpsed'; readonly run: number; readonly saying: Saying | null }
  /** Its present value; nothing waits for the journal. */
  | { readonly type: 'secret-asked'; readonly run: number; readonly id: number; readonly name: string }
  /** Of an agent about itself, inside the effect with this key: the host does it once for each key. */
  | {
      readonly type: 'host-asked';
      readonly run: number;
      readonly id: number;
      readonly key: string;
      readonly action: string;
      readonly args: Json;
    }
  | { readonly type: 'log'; readonly run: number; readonly level: LogLevel; readonly text: string }
  /** Its code waits for some of these, or for a signal, and for nothing else; `heard`: what it was told until then. */
  | {
      readonly type: 'invocation-waiting';
      readonly run: number;
      readonly for: readonly string[];
      readonly heard: number;
    }
  | {
      readonly type: 'invocation-done';
      readonly run: number;
      readonly response: string;
      /** Its code gave a text, so that is its reply. */
      readonly isText?: boolean;
    }
  | {
      readonly type: 'invocation-failed';
      readonly run: number;
      readonly code: string;
      readonly message: string;
      /** Trying again would change nothing, says its code. */
      readonly terminal: boolean;
    }
  /** Its code looked at the event, and takes it for nothing to act on. */
  | { readonly type: 'invocation-refused'; readonly run: number; readonly why: string }
  /** An effect that needs an operator is in doubt, and the run is over: the invocation goes on once it is decided. */
  | { readonly type: 'invocation-held'; readonly run: number; readonly effectId: string }
  | {
      readonly type: 'query-answered';
      readonly run: number;
      readonly id: number;
      readonly answer: QueryAnswer;
    }
  | { readonly type: 'judged'; readonly answer: QueryAnswer }
  | { readonly type: 'pong'; readonly id: number; readonly rss?: number };

/** The end of what a model has said so far, and what it waits for where nothing comes. */
export interface Saying {
  readonly model: string;
  readonly text: string;
  /** "openai:gpt-5-mini is rate limited: retry 2/5"; `untilMs` in epoch milliseconds, null where nobody knows. */
  readonly wait: { readonly text: string; readonly untilMs: number | null } | null;
}

export type QueryAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type SecretAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly refusal: SecretRefusal; readonly message: string };

export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
