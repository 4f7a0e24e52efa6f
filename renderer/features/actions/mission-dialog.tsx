import type { MissionOrder } from '../../../core/model/mission.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { MISSION_CLAUSE } from '../../ui/mission-text.ts';
import { Refused } from '../../ui/refused.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from './consequences.tsx';
import { ORDER_LABELS } from './mission-orders.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: Readonly<Record<MissionOrder, readonly string[]>> = {
  pause: ['Its judge is out of order', 'Maintenance', 'Asked to by its owner'],
  resume: ['It can go on', 'It gets another try'],
  fail: ['No longer wanted', 'It can not be achieved', 'Asked to by its owner'],
  complete: ['I have checked it', 'It is good enough', 'Asked to by its owner'],
};

const DOING: Readonly<Record<MissionOrder, string>> = {
  pause: 'Pausing its mission',
  resume: 'Resuming its mission',
  fail: 'Failing its mission',
  complete: 'Completing its mission',
};

/** An operator decides about a mission. What the host refuses is said here. */
export function MissionDialog({
  question: { row, order, mission },
}: {
  readonly question: QuestionOf<'mission'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const process = visibleLine(row.name);
  return (
    <QuestionDialog
      title={`${ORDER_LABELS[order]} the mission of ${process}?`}
      confirm={`${ORDER_LABELS[order]} the mission of ${process}`}
      danger={order === 'fail'}
      why={{ presets: PRESETS[order], required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt(DOING[order], reason, { order }, (command) => client.request('mission.change', command))
      }
      news={failure === null ? undefined : <Refused failure={failure}>Not done.</Refused>}
    >
      <p>
        <strong>{process}</strong> is <FrozenState row={row} />; its mission {MISSION_CLAUSE[mission.status]}.
      </p>
      <Bounded label="Objective" className="hf-said">
        {visibleBlock(mission.objective)}
      </Bounded>
      <ul className="hf-consequences">
        {consequences(order, mission.status).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </QuestionDialog>
  );
}

function consequences(
  order: MissionOrder,
  status: QuestionOf<'mission'>['mission']['status'],
): readonly string[] {
  switch (order) {
    case 'pause':
      return [
        'It is not judged, and its time and runs do not count, until it is resumed.',
        'The process goes on as before.',
      ];
    case 'resume':
      return status === 'paused'
        ? ['It is judged again, and its time and runs go on where they were.']
        : [
            'It begins again: its time and runs are counted from now. Its history stays.',
            'A process that is held because its mission was over goes on.',
          ];
    case 'fail':
      return [
        'The process is held until somebody resumes it; what is under way finishes.',
        'Whoever the manifest names is told.',
      ];
    case 'complete':
      return [
        'What becomes of the process then is what the manifest says: it stops, goes on, or is held.',
        'Nobody judges it any more.',
      ];
  }
}
