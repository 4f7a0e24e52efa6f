// One asking of a judge: what it sees, and how long anybody waits for it.

import { messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { judgedConversation, verdictOf, type Judge, type JudgeView, type Verdict } from '../model/judge.ts';
import type { MissionState } from '../model/mission-state.ts';
import type { ReportedUse } from '../model/model-calls.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';

export interface Asking {
  /** Whether it has begun; until then it has cost nothing. */
  isBegun: boolean;
  /** What its model used, as far as it said; undefined where it did not, or is none. */
  use?: ReportedUse | null;
  /** Ends it. */
  readonly over: AbortController;
}

export interface NoVerdict {
  readonly nonsense: string;
}

export function judgeView(
  process: string,
  {
    mission,
    context,
    conversation,
  }: Readonly<Pick<ProcessSnapshot, 'context' | 'conversation'>> & { readonly mission: MissionState },
): JudgeView {
  const { objective, successCriteria, runs, lastRun, history } = mission;
  const last = history.at(-1);
  return {
    process,
    objective,
    successCriteria,
    runs,
    state: context,
    lastRun,
    conversation: judgedConversation(conversation),
    before:
      last === undefined
        ? null
        : { achieved: last.achieved, confidence: last.confidence, progress: last.progress },
  };
}

/** Its verdict, or why there is none. Its time counts from when it begins; never rejects. */
export async function askJudge(
  judge: Judge,
  view: JudgeView,
  {
    clock,
    timeoutMs,
    asking,
  }: { readonly clock: Clock; readonly timeoutMs: number; readonly asking: Asking },
): Promise<Verdict | NoVerdict> {
  let cancel = (): void => {};
  const late = Promise.withResolvers<NoVerdict>();
  const onBegan = (): void => {
    asking.isBegun = true;
    cancel = clock.after(timeoutMs, () => {
      late.resolve({ nonsense: `the judge gave no verdict within ${timeoutMs / 1000} s` });
      asking.over.abort();
    });
  };
  const onUsed = (use: ReportedUse | null): void => {
    asking.use = use;
  };
  const said = judge.judge(view, { callOff: asking.over.signal, onBegan, onUsed }).then(
    (opinion: Json) => verdictOf(opinion),
    (error: unknown) => ({ nonsense: messageOf(error) }),
  );
  try {
    return await Promise.race([said, late.promise]);
  } finally {
    cancel();
  }
}
