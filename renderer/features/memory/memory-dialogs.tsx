import { Checkbox } from '@blueprintjs/core';
import { useEffect, useState } from 'react';
import type { Failure } from '../../../core/contract/define.ts';
import type { MemoryRecordView } from '../../../core/contract/memory-views.ts';
import { MAX_MEMORY_TEXT } from '../../../core/model/limits.ts';
import { useConsole } from '../../app/console-context.ts';
import { targetOf } from '../../stores/target.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { NotPossible, Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from '../actions/question-dialog.tsx';
import { useAttempt } from '../actions/use-attempt.ts';

type Question = QuestionOf<'memory'>;

const WRITE_PRESETS: readonly string[] = ['It should know this', 'It is wrong', 'It is out of date'];
const FORGET_PRESETS: readonly string[] = ['It is wrong', 'It is out of date', 'It is private'];
const REPAIR_PRESETS: readonly string[] = ['It is damaged'];
const MOST_SHOWN = 600;

export function MemoryDialog({ question }: { readonly question: Question }) {
  switch (question.order) {
    case 'add':
    case 'edit':
      return <WriteDialog question={question} />;
    case 'forget':
      return <ForgetDialog question={question} />;
    case 'forget-all':
      return <ForgetAllDialog question={question} />;
    case 'repair':
      return <RepairDialog question={question} />;
  }
}

/** A new record, or another text for one: the whole of it, where a list showed its beginning. */
function WriteDialog({ question: { row, memory, record } }: { readonly question: Question }) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const { whole, unread } = useWhole({ row, record });
  const [entered, setEntered] = useState<string | null>(null);
  const [isPinned, setPinned] = useState(record?.isPinned ?? false);
  const process = visibleLine(row.name);
  const before = record === null ? '' : (whole?.text ?? null);
  const text = entered ?? before ?? '';
  const isSame = record !== null && text === before && isPinned === record.isPinned;
  const lacking =
    before === null
      ? 'Its whole text is not there yet.'
      : text.trim() === ''
        ? 'Enter what is to be remembered.'
        : isSame
          ? 'Nothing is changed yet.'
          : null;
  const write = (reason: string): void => {
    const told = { id: record?.id ?? null, text, isPinned };
    const what = record === null ? 'Adding to the memory' : 'Changing the memory';
    void attempt(what, reason, told, (command) => client.request('memory.write', command), 'Remembered');
  };
  return (
    <QuestionDialog
      title={record === null ? `Add to what ${process} remembers?` : `Change what ${process} remembers?`}
      confirm={record === null ? 'Remember it' : 'Change it'}
      danger={false}
      why={{ presets: WRITE_PRESETS, required: false }}
      missing={missing ?? lacking}
      onConfirm={write}
      wide
      news={
        <>
          {unread !== null && <NotPossible failure={unread}>Its whole text can’t be read.</NotPossible>}
          {failure !== null && <Refused failure={failure}>Not changed.</Refused>}
        </>
      }
    >
      <TextField
        label="What is remembered"
        value={text}
        onChange={(value) => {
          forget();
          setEntered(value);
        }}
        hint="As it will stand in a prompt, without the conversation around it. It is given to the model as data."
        rows={6}
        maxLength={MAX_MEMORY_TEXT}
        required
      />
      <Checkbox
        checked={isPinned}
        label="Pinned: recalled before all others, whatever a turn is about"
        onChange={(event) => setPinned(event.currentTarget.checked)}
      />
      <ul className="hf-consequences">
        <li>It counts from the next invocation on: one that runs now goes on with what it has recalled.</li>
        <li>
          Whoever shares <span className="hf-mono">{visibleLine(memory.collection)}</span> as{' '}
          <span className="hf-mono">{visibleLine(memory.userId)}</span> remembers it too.
        </li>
      </ul>
    </QuestionDialog>
  );
}

function ForgetDialog({ question: { row, record } }: { readonly question: Question }) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  if (record === null) return null;
  const { text } = record;
  const forget = (reason: string): void => {
    const told = { id: record.id, collection: null };
    void attempt(
      'Forgetting',
      reason,
      told,
      (command) => client.request('memory.forget', command),
      'Forgotten',
    );
  };
  return (
    <QuestionDialog
      title={`Forget this record of ${visibleLine(row.name)}?`}
      confirm="Forget it"
      danger
      why={{ presets: FORGET_PRESETS, required: true }}
      missing={missing}
      onConfirm={forget}
      news={failure !== null && <Refused failure={failure}>Not forgotten.</Refused>}
    >
      <blockquote className="hf-block hf-memory-quote">
        {visibleBlock(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)}
      </blockquote>
      <ul className="hf-consequences">
        <li>
          It is gone for good, for everybody who shares it. The journal keeps that it was, and its hash.
        </li>
        <li>What an invocation recalled before is in the journal, and stays there.</li>
      </ul>
    </QuestionDialog>
  );
}

function ForgetAllDialog({ question: { row, memory } }: { readonly question: Question }) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [name, setName] = useState('');
  const isNamed = name === memory.collection;
  const clear = (reason: string): void => {
    const told = { id: null, collection: name };
    void attempt(
      'Forgetting all',
      reason,
      told,
      (command) => client.request('memory.forget', command),
      'Forgotten',
    );
  };
  return (
    <QuestionDialog
      title={`Forget everything that ${visibleLine(row.name)} remembers?`}
      confirm="Forget everything"
      danger
      why={{ presets: FORGET_PRESETS, required: true }}
      missing={missing ?? (isNamed ? null : 'Enter the name of the collection.')}
      onConfirm={clear}
      news={failure !== null && <Refused failure={failure}>Nothing is forgotten.</Refused>}
    >
      <TextField
        label="Name of the collection"
        value={name}
        onChange={(value) => {
          forget();
          setName(value);
        }}
        hint={
          <>
            To confirm, type <strong className="hf-mono">{visibleLine(memory.collection)}</strong>
          </>
        }
        required
        code
      />
      <ul className="hf-consequences">
        <li>
          All records of <span className="hf-mono">{visibleLine(memory.userId)}</span> there are gone for
          good, also for other processes of that user. Those of other users stay.
        </li>
        <li>Its conversation, its state and its journal stay as they are.</li>
      </ul>
    </QuestionDialog>
  );
}

function RepairDialog({ question: { row } }: { readonly question: Question }) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const repair = (reason: string): void => {
    void attempt('Repairing', reason, {}, (command) => client.request('memory.repair', command), 'Repaired');
  };
  return (
    <QuestionDialog
      title={`Repair the memory of ${visibleLine(row.name)}?`}
      confirm="Repair it"
      danger={false}
      why={{ presets: REPAIR_PRESETS, required: true }}
      missing={missing}
      onConfirm={repair}
      news={failure !== null && <Refused failure={failure}>Not repaired.</Refused>}
    >
      <ul className="hf-consequences">
        <li>The damaged file is set aside beside the new one, byte for byte.</li>
        <li>Every record that can be read goes into a new one, which is used from then on.</li>
      </ul>
    </QuestionDialog>
  );
}

interface Whole {
  readonly whole: MemoryRecordView | null;
  readonly unread: Failure | null;
}

/** All of a record, as it is now. */
function useWhole({ row, record }: Pick<Question, 'row' | 'record'>): Whole {
  const { client } = useConsole();
  const [found, setFound] = useState<Whole>({ whole: record?.cut === false ? record : null, unread: null });
  const id = record?.id ?? null;
  const isCut = record?.cut === true;
  useEffect(() => {
    if (id === null || !isCut) return undefined;
    let isLeft = false;
    void client.request('memory.read', { ...targetOf(row), id }).then((result) => {
      if (isLeft) return;
      setFound(result.ok ? { whole: result.value, unread: null } : { whole: null, unread: result.error });
    });
    return () => {
      isLeft = true;
    };
  }, [client, row, id, isCut]);
  return found;
}
