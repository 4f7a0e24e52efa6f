import { Button } from '@blueprintjs/core';
import { Pulse } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { buttonText } from '../../stores/action-table.ts';
import { anomalyName } from '../../ui/anomaly-text.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Desk, DeskItem } from './desk.tsx';

type Hold = ProcessDetail['holds'][number];

interface Props {
  readonly row: ProcessRow;
  readonly hold: Hold;
}

/** What was found of its health, and what there is to be done about it. */
export function HealthHold({ row, hold }: Props) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const name = visibleLine(row.name);
  const found = row.health.anomalies.find(({ text }) => text === hold.reason);
  return (
    <Desk
      label="Held by its health"
      tone="attention"
      icon={<Pulse />}
      items={[
        <DeskItem
          key="hold"
          title={`${found === undefined ? '' : `${anomalyName(found.type)}: `}${visibleLine(hold.reason)}`}
          about={
            <>
              · since <Ago at={hold.since} long suffix=" ago" />
            </>
          }
          answersLabel="What to do about its health"
          answers={(['resume', 'stop'] as const).map((action) => (
            <Button
              key={action}
              size="small"
              {...(action === 'resume' ? { intent: 'primary' as const } : {})}
              disabled={off || !row.actions.includes(action)}
              aria-label={`${buttonText(action)}: ${name}`}
              onClick={() => actions.choose(row, action)}
            >
              {buttonText(action)}
            </Button>
          ))}
        />,
      ]}
    >
      <strong>Held by its health.</strong> What it was doing stopped before its next effect. Resumed, it goes
      on from there, and is looked at anew: what was found so far is not found again.
    </Desk>
  );
}
