import { useState } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { TriggerView } from '../../../core/contract/trigger-views.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { Refused } from '../../ui/refused.tsx';
import { lookOf } from '../../ui/state-look.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { jsonMissing, JsonField } from '../actions/json-field.tsx';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { useAttempt } from '../actions/use-attempt.ts';
import { kindWord } from './trigger-look.tsx';

const PAUSE: readonly string[] = [
  'Maintenance',
  'Too many calls',
  'Its source is at fault',
  'Asked to by its owner',
];
const REMOVE: readonly string[] = ['No longer needed', 'Replaced by another', 'Added by mistake'];
const FIRE: readonly string[] = ['A test', 'In place of a call that was missed'];

/** One trigger, or all of them. */
export function PauseTriggersDialog({
  question: { row, trigger },
}: {
  readonly question: QuestionOf<'pause-triggers'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const name = visibleLine(row.name);
  const what = trigger === null ? `all triggers of ${name}` : 'the trigger';
  return (
    <QuestionDialog
      title={trigger === null ? `Pause all triggers of ${name}?` : 'Pause this trigger?'}
      confirm={`Pause ${what}`}
      danger={false}
      why={{ presets: PAUSE, required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt(`Pausing ${what}`, reason, { triggerId: trigger?.id ?? null }, (command) =>
          client.request('triggers.pause', command),
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Not paused.</Refused>}
    >
      {trigger === null ? (
        <p>
          Nothing but a person wakes <strong>{name}</strong> until they are resumed.
        </p>
      ) : (
        <Which row={row} trigger={trigger} />
      )}
      <ul className="hf-consequences">
        <li>What was accepted already is still handled.</li>
        <li>{meanwhile(trigger?.type ?? null)}</li>
        <li>
          It stays so when the host is started again, until somebody resumes{' '}
          {trigger === null ? 'them' : 'it'}.
        </li>
      </ul>
    </QuestionDialog>
  );
}

function meanwhile(type: string | null): string {
  if (type === 'cron') return 'Times that come meanwhile are skipped: nothing is made up for.';
  if (type === 'webhook') return 'Whoever calls it meanwhile is refused.';
  if (type === null)
    return 'Times that come meanwhile are skipped, callers are refused, and of what else happens some may never be told.';
  return 'Of what happens meanwhile some may never be told.';
}

export function RemoveTriggerDialog({
  question: { row, trigger },
}: {
  readonly question: QuestionOf<'remove-trigger' | 'fire-trigger'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  return (
    <QuestionDialog
      title="Remove this trigger?"
      confirm="Remove the trigger"
      danger
      why={{ presets: REMOVE, required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt('Removing a trigger', reason, { triggerId: trigger.id }, (command) =>
          client.request('triggers.remove', command),
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Not removed.</Refused>}
    >
      <Which row={row} trigger={trigger} />
      <ul className="hf-consequences">
        <li>Nothing wakes the process by it any more. What was accepted already is still handled.</li>
        <li>
          Its counts, its last event and how far its schedule was followed go with it; the timeline keeps
          them.
        </li>
        <li>
          {trigger.isAdded
            ? 'It was added beside the manifest, so nothing else names it.'
            : 'The manifest still names it, and it stays away all the same. Add it again to have it back.'}
        </li>
      </ul>
    </QuestionDialog>
  );
}

export function FireTriggerDialog({
  question: { row, trigger },
}: {
  readonly question: QuestionOf<'remove-trigger' | 'fire-trigger'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [payload, setPayload] = useState('');
  const told = { triggerId: trigger.id, ...(payload.trim() === '' ? {} : { payloadText: payload }) };
  return (
    <QuestionDialog
      title="Test-fire this trigger?"
      confirm="Test-fire the trigger"
      danger={false}
      why={{ presets: FIRE, required: false }}
      missing={missing ?? jsonMissing('payload', payload, true)}
      onConfirm={(reason) =>
        void attempt('Test-firing', reason, told, (command) => client.request('triggers.fire', command))
      }
      news={failure === null ? undefined : <Refused failure={failure}>Not fired.</Refused>}
    >
      <Which row={row} trigger={trigger} />
      <ul className="hf-consequences">
        {firingMeans(row, trigger).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <JsonField
        label="Payload, as JSON"
        value={payload}
        onChange={(text) => {
          forget();
          setPayload(text);
        }}
        hint="As the trigger would give it. Empty: who fired it."
        optional
      />
    </QuestionDialog>
  );
}

/** What follows from firing it, in sentences. */
export function firingMeans(row: ProcessRow, { filter, paused }: TriggerView): readonly string[] {
  return [
    'This is no rehearsal: the event is handled like any other, and what the agent does in the world is done.',
    'It counts as one of its calls, and as a run of the day.',
    ...(filter === null ? [] : [`Its filter is not asked first: ${visibleLine(filter)}`]),
    ...(paused === null ? [] : ['It is paused, and is fired all the same.']),
    ...(row.state === 'running' || row.state === 'awaiting'
      ? []
      : [`The process is ${lookOf(row.state).word.toLowerCase()}: the event waits, or is refused.`]),
  ];
}

function Which({ row, trigger }: { readonly row: ProcessRow; readonly trigger: TriggerView }) {
  return (
    <p>
      {kindWord(trigger.type)} <strong>{visibleLine(trigger.description)}</strong> of {visibleLine(row.name)},
      known as <CutText text={trigger.id} room={48} />.
    </p>
  );
}
