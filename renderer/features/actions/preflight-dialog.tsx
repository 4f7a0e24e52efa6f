import { Button } from '@blueprintjs/core';
import { useCallback, useEffect, useState } from 'react';
import type { Result } from '../../../core/contract/define.ts';
import type { PreviewView } from '../../../core/contract/preview-view.ts';
import { useConsole } from '../../app/console-context.ts';
import { ACTION_TABLE } from '../../stores/action-table.ts';
import type { Previewed, QuestionOf } from '../../stores/questions.ts';
import { targetOf } from '../../stores/target.ts';
import { Skeleton } from '../../ui/state-of-view.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from './consequences.tsx';
import { Preflight } from './preflight.tsx';
import { ACTION_REASONS } from './presets.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { Changed, useStillOffered } from './still-offered.tsx';

interface Found {
  readonly result: Result<PreviewView>;
  /** ISO 8601, of this console's clock. */
  readonly at: string;
}

interface Props {
  readonly question: QuestionOf<'action'>;
  readonly action: Previewed;
}

/** What an action will do, read from the journal before it is done. What can't be read is said and bars nothing. */
export function PreflightDialog({ question: { row, found: given }, action }: Props) {
  const { actions, client, clock } = useConsole();
  const now = (): string => new Date(clock.now()).toISOString();
  const [found, setFound] = useState<Found | null>(() =>
    given === null ? null : { result: given, at: now() },
  );
  const [looking, setLooking] = useState(given === null);
  const offered = useStillOffered(row, action);
  const { journalId, process } = targetOf(row);

  const look = useCallback(
    () => client.request('processes.preview', { journalId, process, action }),
    [client, journalId, process, action],
  );
  useEffect(() => {
    if (!looking) return undefined;
    let wanted = true;
    void look().then((result) => {
      if (!wanted) return;
      setFound({ result, at: new Date(clock.now()).toISOString() });
      setLooking(false);
    });
    return () => {
      wanted = false;
    };
  }, [look, looking, clock]);

  const name = visibleLine(row.name);
  const { label, danger } = ACTION_TABLE[action];
  return (
    <QuestionDialog
      title={`${label} ${name}?`}
      confirm={`${label} ${name}`}
      danger={danger}
      wide
      why={{ presets: ACTION_REASONS, required: action !== 'resume' }}
      missing={offered.missing}
      onConfirm={(reason) => actions.confirm(reason)}
      news={<Changed offered={offered} name={name} />}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />.
      </p>
      {found === null ? (
        <div className="hf-preflight-room">
          <Skeleton lines={6} label="Looking at what it would do" />
        </div>
      ) : found.result.ok ? (
        <Preflight
          preview={found.result.value}
          at={found.at}
          looking={looking}
          onLookAgain={() => setLooking(true)}
        />
      ) : (
        <div className="hf-unread">
          <p className="hf-alarm-text hf-block" role="alert">
            What this would do could not be read, so it is unknown: {visibleBlock(found.result.error.message)}{' '}
            It can be done all the same.
          </p>
          <Button size="small" disabled={looking} onClick={() => setLooking(true)}>
            Look again
          </Button>
        </div>
      )}
    </QuestionDialog>
  );
}
