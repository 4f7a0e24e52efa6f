// What may be asked before something is done. A question keeps what it was asked about as that was when it opened.

import type { Result } from '../../core/contract/define.ts';
import type { MemoryRecordView } from '../../core/contract/memory-views.ts';
import type { MissionView } from '../../core/contract/mission-view.ts';
import type { RequestOf } from '../../core/contract/requests.ts';
import type { WaitingDetail } from '../../core/contract/waiting-view.ts';
import type { SelfChangeView } from '../../core/contract/self-view.ts';
import type { LimitSettingView, SettingView } from '../../core/contract/settings-views.ts';
import type { ToolView } from '../../core/contract/tools-view.ts';
import type { EffectClass } from '../../core/model/effects.ts';
import type { ManifestQuestion } from './manifests.ts';
import type { JournalView } from '../../core/contract/fleet-views.ts';
import type { PreviewView } from '../../core/contract/preview-view.ts';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { Action, ProcessRow } from '../../core/contract/process-row.ts';
import type { SecretView } from '../../core/contract/secret-view.ts';
import type { TriggerView } from '../../core/contract/trigger-views.ts';
import type { DeadLetterView, EffectView, InvocationView, WaitView } from '../../core/contract/work-views.ts';

export type Resolution = RequestOf<'effects.resolve'>['resolution'];
export type Settlement = RequestOf<'promises.settle'>['settlement'];
export type Previewed = RequestOf<'processes.preview'>['action'];

/** What was entered when a question was answered before, and the host refused the answer. */
export interface Entered {
  readonly reason: string;
  /** A result, a value, an error or a payload; as it was typed. */
  readonly text: string;
}

export type Question =
  | {
      readonly kind: 'action';
      readonly action: Action;
      readonly row: ProcessRow;
      /** What the host found already; null where it is still to be asked, or needs no asking. */
      readonly found: Result<PreviewView> | null;
    }
  | {
      readonly kind: 'effect';
      readonly resolution: Resolution['kind'];
      readonly row: ProcessRow;
      readonly effect: EffectView;
      readonly entered?: Entered;
    }
  | {
      readonly kind: 'promise';
      readonly settlement: Settlement['kind'];
      readonly row: ProcessRow;
      readonly wait: WaitView;
      readonly entered?: Entered;
    }
  | {
      readonly kind: 'decide';
      readonly decision: 'edit' | 'reject' | 'answer';
      readonly row: ProcessRow;
      readonly detail: WaitingDetail;
    }
  | {
      readonly kind: 'signal';
      readonly row: ProcessRow;
      readonly invocations: number;
      readonly entered?: Entered & { readonly name: string };
    }
  | {
      readonly kind: 'query';
      readonly row: ProcessRow;
      /** Those that can be asked, oldest first: of `count`, which may be more. */
      readonly invocations: readonly Pick<InvocationView, 'eventId' | 'invocation'>[];
      readonly count: number;
    }
  | {
      readonly kind: 'dead-letter';
      readonly choice: 'as-new' | 'drop';
      readonly row: ProcessRow;
      readonly letter: DeadLetterView;
    }
  | {
      readonly kind: 'pause-triggers';
      readonly row: ProcessRow;
      /** Null for all of them. */
      readonly trigger: TriggerView | null;
    }
  | {
      readonly kind: 'remove-trigger' | 'fire-trigger';
      readonly row: ProcessRow;
      readonly trigger: TriggerView;
    }
  | { readonly kind: 'add-trigger'; readonly row: ProcessRow }
  | {
      readonly kind: 'extend';
      readonly row: ProcessRow;
      /** The limit that was reached; null where it is still to be said. */
      readonly limit: ProcessRow['budget']['limits'][number]['limit'] | null;
      /** For how long it is suggested. */
      readonly span?: 'over' | 'half-hour';
    }
  | { readonly kind: 'clear-health'; readonly row: ProcessRow }
  | {
      readonly kind: 'test-escalation';
      readonly row: ProcessRow;
      readonly receivers: NonNullable<ProcessDetail['receivers']>;
    }
  | {
      readonly kind: 'mission';
      readonly row: ProcessRow;
      readonly order: MissionView['orders'][number];
      readonly mission: MissionView;
    }
  | { readonly kind: 'limits'; readonly row: ProcessRow; readonly limits: readonly LimitSettingView[] }
  | {
      readonly kind: 'undo-self';
      readonly row: ProcessRow;
      /** Null for all that is in force. */
      readonly change: SelfChangeView | null;
      readonly changes: readonly SelfChangeView[];
    }
  | { readonly kind: 'undo-setting'; readonly row: ProcessRow; readonly setting: SettingView }
  | { readonly kind: 'tool-switch'; readonly row: ProcessRow; readonly tool: ToolView }
  | {
      readonly kind: 'tool-class';
      readonly row: ProcessRow;
      readonly name: string;
      /** Null where that is not known. */
      readonly now: EffectClass | null;
    }
  | { readonly kind: 'hold-triggers'; readonly journal: JournalView }
  | ManifestQuestion
  | { readonly kind: 'rotate-secret'; readonly row: ProcessRow; readonly secret: SecretView }
  | {
      readonly kind: 'memory';
      readonly order: 'add' | 'edit' | 'forget' | 'forget-all' | 'repair';
      readonly row: ProcessRow;
      readonly memory: NonNullable<ProcessDetail['memory']>;
      /** The one to edit or to forget. */
      readonly record: MemoryRecordView | null;
    }
  /** Null for all of them. */
  | { readonly kind: 'revoke-secret'; readonly row: ProcessRow; readonly secret: SecretView | null }
  | {
      readonly kind: 'rewind' | 'fork';
      readonly row: ProcessRow;
      /** The entry to go on from; null where it is still to be said. */
      readonly seq: number | null;
      /** Those of the state as it is now, to choose from. */
      readonly contextKeys: readonly string[];
    };

export type QuestionOf<K extends Question['kind']> = Extract<Question, { readonly kind: K }>;

export function isPreviewed(action: Action): action is Previewed {
  return action === 'resume' || action === 'restart' || action === 'force-recover';
}

/**
 * Whether a resume may go ahead without a question: no doubt but those that are harmless to repeat, no timer that fires
 * at once, and no hold that would keep it suspended all the same. What is not among the listed doubts may be any.
 */
export function isPlainResume({ doubts, doubtCount, timersDue, holdsThatStay }: PreviewView): boolean {
  return (
    doubts.length === doubtCount &&
    doubts.every(({ next }) => next === 'performed again') &&
    timersDue === 0 &&
    holdsThatStay.length === 0
  );
}
