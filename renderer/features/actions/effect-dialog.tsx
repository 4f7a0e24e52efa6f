import { useId, useState } from 'react';
import { useConsole, useSilent } from '../../app/console-context.ts';
import type { Question, Resolution } from '../../stores/actions.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { ReasonField } from './reason-field.tsx';
import { jsonProblem } from './json-problem.ts';

type EffectQuestion = Extract<Question, { kind: 'effect' }>;

const WORDS: Readonly<
  Record<
    Resolution['kind'],
    {
      readonly title: string;
      readonly confirm: string;
      readonly outcome: string;
      readonly presets: readonly string[];
    }
  >
> = {
  happened: {
    title: 'happened?',
    confirm: 'Record that it happened',
    outcome:
      'The result you enter becomes its recorded outcome. The invocation goes on with it; nothing is run again.',
    presets: ['Seen in the other system', 'Confirmed by its owner'],
  },
  did_not_happen: {
    title: 'did not happen?',
    confirm: 'Record that it did not',
    outcome: 'It is recorded as not having happened, and may be run again. If it did happen, that is twice.',
    presets: ['Not found in the other system', 'Confirmed by its owner'],
  },
  skip: {
    title: 'skipped?',
    confirm: 'Skip it',
    outcome: 'It counts as done with the result null. The invocation goes on; nothing is run again.',
    presets: ['No longer needed', 'Done by hand'],
  },
};

/** How an effect in doubt ended, on the operator's word. */
export function EffectDialog({ question: { effect, resolution } }: { readonly question: EffectQuestion }) {
  const { actions } = useConsole();
  const [reason, setReason] = useState('');
  const [resultText, setResultText] = useState('');
  const silent = useSilent();
  const id = useId();
  const words = WORDS[resolution];
  const problem = resolution === 'happened' ? jsonProblem(resultText) : null;
  const name = visibleLine(effect.name);
  const confirm = (): void => {
    actions.confirmResolution(
      reason.trim(),
      resolution === 'happened' ? { kind: 'happened', resultText } : { kind: resolution },
    );
  };
  return (
    <QuestionDialog
      title={`${name}: ${words.title}`}
      confirm={words.confirm}
      danger={resolution === 'did_not_happen'}
      ready={!silent && reason.trim() !== '' && problem === null}
      onConfirm={confirm}
      onCancel={() => actions.cancel()}
    >
      <p>
        <code className="hf-mono">{name}</code> was announced{' '}
        <Ago at={effect.announcedAt} long suffix=" ago" /> with
      </p>
      <pre className="hf-mono hf-block hf-args">{visibleBlock(effect.argsPreview)}</pre>
      {effect.error !== '' && <p className="hf-block">It said: {visibleBlock(effect.error)}</p>}
      <p>{words.outcome}</p>
      {resolution === 'happened' && (
        <div className="hf-field">
          <label htmlFor={id}>Result, as JSON</label>
          <textarea
            id={id}
            className="bp6-input bp6-fill hf-mono"
            rows={4}
            spellCheck={false}
            value={resultText}
            aria-invalid={resultText !== '' && problem !== null}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setResultText(event.currentTarget.value)}
          />
          <div
            id={`${id}-hint`}
            className={resultText !== '' && problem !== null ? 'hf-alarm-text' : 'hf-muted'}
          >
            {resultText === ''
              ? 'What the effect returned. If it returned nothing: null'
              : (problem ?? 'Valid JSON.')}
          </div>
        </div>
      )}
      <ReasonField
        presets={words.presets}
        value={reason}
        onChange={setReason}
        hint="Required. It goes into the journal with your answer."
      />
    </QuestionDialog>
  );
}
