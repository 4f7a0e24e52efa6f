import { Button } from '@blueprintjs/core';
import { Flag } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { buttonText } from '../../stores/action-table.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Desk, DeskItem } from './desk.tsx';

interface Props {
  readonly detail: ProcessDetail;
  readonly hold: ProcessDetail['holds'][number];
}

/** Its mission is over: how it ended, and the two ways on. */
export function MissionHold({ detail: { row, mission }, hold }: Props) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const name = visibleLine(row.name);
  return (
    <Desk
      label="Held by its mission"
      tone="attention"
      icon={<Flag />}
      items={[
        <DeskItem
          key="hold"
          title={visibleLine(hold.reason) || 'Its mission is over'}
          about={
            <>
              · since <Ago at={hold.since} long suffix=" ago" />
            </>
          }
          answersLabel="What to do about its mission"
          answers={
            <>
              {mission?.orders.includes('resume') === true && (
                <Button
                  size="small"
                  disabled={off}
                  aria-label={`Resume the mission…: ${name}`}
                  onClick={() => actions.ask({ kind: 'mission', row, order: 'resume', mission })}
                >
                  Resume the mission…
                </Button>
              )}
              {(['resume', 'stop'] as const).map((action) => (
                <Button
                  key={action}
                  size="small"
                  disabled={off || !row.actions.includes(action)}
                  aria-label={`${buttonText(action)}: ${name}`}
                  onClick={() => actions.choose(row, action)}
                >
                  {buttonText(action)}
                </Button>
              ))}
            </>
          }
        />,
      ]}
    >
      <strong>Held by its mission.</strong> The mission is over, and nothing new begins. Resumed, the process
      goes on without one; its mission resumed, it is judged again, with its limits counted from then.
    </Desk>
  );
}
