// What the host and a worker say to each other: plain data over any channel that keeps order. The host numbers its
// workers, and each handing over of an invocation, the run; what an earlier one says late belongs to nobody.

import type { EffectClass, EffectEnd, RecordedEffect } from './effects.ts';
import type { TriggerEvent } from './entry.ts';
import type { Json } from './json.ts';
import type { RecordedWrite } from './snapshot.ts';

export type ToWorker =
  | {
      readonly type: 'invoke';
      readonly run: number;
      readonly event: TriggerEvent;
      readonly process: string;
      readonly attempt: number;
      /** The context as of the start of the invocation, and what the journal has of it since [S23]. */
      readonly state: Readonly<Record<string, Json>>;
      readonly effects: readonly RecordedEffect[];
      readonly writes: readonly RecordedWrite[];
      /** Begins every default idempotency key, so that keys of different journals never meet. */
      readonly keyPrefix: string;
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
  /** The outcome is durable: go on. */
  | { readonly type: 'effect-recorded'; readonly run: number; readonly effectId: string }
  | { readonly type: 'write-recorded'; readonly run: number; readonly ordinal: number }
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
      readonly attempt: number;
    }
  | {
      readonly type: 'effect-ended';
      readonly run: number;
      readonly effectId: string;
      readonly end: EffectEnd;
    }
  | {
      readonly type: 'state-written';
      readonly run: number;
      readonly ordinal: number;
      readonly key: string;
      readonly value: Json;
      readonly deleted: boolean;
    }
  | { readonly type: 'log'; readonly run: number; readonly level: LogLevel; readonly text: string }
  | { readonly type: 'invocation-done'; readonly run: number; readonly response: string }
  | {
      readonly type: 'invocation-failed';
      readonly run: number;
      readonly code: string;
      readonly message: string;
    }
  /** An effect that needs an operator is in doubt, and the run is over: the invocation goes on once it is decided. */
  | { readonly type: 'invocation-held'; readonly run: number; readonly effectId: string }
  | { readonly type: 'pong'; readonly id: number };

export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
