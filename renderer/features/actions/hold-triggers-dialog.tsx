import { useState } from 'react';
import type { Failure } from '../../../core/contract/define.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Refused } from '../../ui/refused.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';

const PRESETS: readonly string[] = ['Maintenance', 'Something is wrong', 'A bad release', 'Costs run away'];

/** One switch for the triggers of all processes. What the host refuses is said here. */
export function HoldTriggersDialog({
  question: { journal },
}: {
  readonly question: QuestionOf<'hold-triggers'>;
}) {
  const { actions } = useConsole();
  const [isAsked, setAsked] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const hold = async (reason: string): Promise<void> => {
    setAsked(true);
    setFailure(null);
    const refused = await actions.triggerSwitch.hold(journal, reason);
    setAsked(false);
    if (refused === null) actions.cancel();
    else setFailure(refused);
  };
  return (
    <QuestionDialog
      title={`Hold all triggers of ${visibleLine(journal.title)}?`}
      confirm={`Hold all triggers of ${visibleLine(journal.title)}`}
      danger={false}
      why={{ presets: PRESETS, required: true }}
      missing={isAsked ? 'Holding the triggers: waiting for the host.' : null}
      onConfirm={(reason) => void hold(reason)}
      news={failure === null ? undefined : <Refused failure={failure}>Not held.</Refused>}
    >
      <p>
        Nothing but a person wakes any process of <strong>{visibleLine(journal.title)}</strong> until they are
        released.
      </p>
      <ul className="hf-consequences">
        <li>What was accepted already is still handled, and what is under way goes on.</li>
        <li>
          Times that come meanwhile are skipped, callers are refused, and of what else happens some may never
          be told.
        </li>
        <li>It stays so when the host is started again, and holds for processes that are added, too.</li>
      </ul>
    </QuestionDialog>
  );
}
