import { Button } from '@blueprintjs/core';
import { Pause } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { buttonText } from '../../stores/action-table.ts';
import { hashOf, processPlace } from '../../stores/place.ts';
import { DayClock, Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Desk, DeskItem } from './desk.tsx';

type Hold = ProcessDetail['holds'][number];

const CAP_FILES: Readonly<Record<'workspace' | 'all', string>> = {
  workspace: 'the holdfast.yaml of the workspace',
  all: "the holdfast.yaml of the user's data folder",
};

interface Props {
  readonly row: ProcessRow;
  readonly hold: Hold;
}

/** What did not fit, and what there is to be done about it. */
export function BudgetHold({ row, hold }: Props) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const { exceeded, limits, until } = row.budget;
  const limit = limits.find((one) => one.limit === exceeded?.limit);
  // More of its own limits is no more of a cap.
  const shared = exceeded?.of === undefined || exceeded.of === row.name ? null : exceeded.of;
  const isOwn = limits.length > 0 && exceeded?.cap === undefined && shared === null;
  const name = visibleLine(row.name);
  return (
    <Desk
      label="Held by its budget"
      tone="attention"
      icon={<Pause />}
      items={[
        <DeskItem
          key="hold"
          title={visibleLine(exceeded?.text ?? hold.reason)}
          about={
            <>
              · since <Ago at={hold.since} long suffix=" ago" />
            </>
          }
          answersLabel="What to do about the budget"
          answers={
            <>
              <Button
                size="small"
                intent="primary"
                disabled={off || !isOwn}
                aria-label={`Extend…: ${name}`}
                onClick={() => actions.ask({ kind: 'extend', row, limit: exceeded?.limit ?? null })}
              >
                Extend…
              </Button>
              <Button
                size="small"
                disabled={off || !isOwn}
                aria-label={`Half an hour more…: ${name}`}
                onClick={() =>
                  actions.ask({ kind: 'extend', row, limit: exceeded?.limit ?? null, span: 'half-hour' })
                }
              >
                Half an hour more…
              </Button>
              <Button
                size="small"
                disabled={off || !row.actions.includes('stop')}
                aria-label={`${buttonText('stop')}: ${name}`}
                onClick={() => actions.choose(row, 'stop')}
              >
                {buttonText('stop')}
              </Button>
            </>
          }
        />,
      ]}
    >
      <strong>Held by its budget.</strong> What would pass{' '}
      {exceeded?.cap === undefined ? 'a limit' : 'the cap'} was not done, and waits
      {exceeded?.cap !== undefined ? (
        <> until there is room: the next day of the cap, or a higher one in {CAP_FILES[exceeded.cap]}.</>
      ) : shared !== null ? (
        <>
          {' '}
          for more of{' '}
          <a href={hashOf(processPlace({ journalId: row.journalId, process: shared }))}>
            {visibleLine(shared)}
          </a>
          , whose budget it shares: extend it there.
        </>
      ) : limit?.scope === 'day' && until !== null ? (
        <>
          {' '}
          for more, or for the next day of the budget at <DayClock at={until} />.
        </>
      ) : (
        ' for more.'
      )}
    </Desk>
  );
}
