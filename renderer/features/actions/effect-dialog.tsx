import { useState } from 'react';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf, Resolution } from '../../stores/questions.ts';
import { jsonLines } from '../../ui/json-lines.ts';
import { EffectSaid, Written } from '../../ui/said.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { jsonMissing, JsonField } from './json-field.tsx';
import { QuestionDialog } from './question-dialog.tsx';

interface Words {
  readonly title: (name: string) => string;
  readonly confirm: (name: string) => string;
  readonly outcome: string;
  readonly presets: readonly string[];
}

const WORDS: Readonly<Record<Resolution['kind'], Words>> = {
  happened: {
    title: (name) => `${name} happened?`,
    confirm: (name) => `Record that ${name} happened`,
    outcome:
      'The result you enter becomes its recorded outcome. The invocation goes on with it; nothing is run again.',
    presets: ['Seen in the other system', 'Confirmed by its owner'],
  },
  did_not_happen: {
    title: (name) => `${name} did not happen: run it now?`,
    confirm: (name) => `Run ${name} now`,
    outcome:
      'It is performed again now, with the same arguments and the same key. If it did happen after all, that is twice.',
    presets: ['Not found in the other system', 'Confirmed by its owner'],
  },
  skip: {
    title: (name) => `Skip ${name}?`,
    confirm: (name) => `Skip ${name}`,
    outcome: 'It counts as done with the result null. The invocation goes on; nothing is run again.',
    presets: ['No longer needed', 'Done by hand'],
  },
};

/** How an effect in doubt ended, on the operator's word. */
export function EffectDialog({
  question: { effect, resolution, entered },
}: {
  readonly question: QuestionOf<'effect'>;
}) {
  const { actions } = useConsole();
  const [resultText, setResultText] = useState(entered?.text ?? '');
  const words = WORDS[resolution];
  const name = visibleLine(effect.name);
  const happened = resolution === 'happened';
  return (
    <QuestionDialog
      title={words.title(name)}
      confirm={words.confirm(name)}
      danger={resolution === 'did_not_happen'}
      why={{ presets: words.presets, required: true }}
      reasonBefore={entered?.reason ?? ''}
      missing={happened ? jsonMissing('result', resultText, false) : null}
      onConfirm={(reason) =>
        actions.confirmResolution(reason, happened ? { kind: resolution, resultText } : { kind: resolution })
      }
    >
      <p>
        <code className="hf-mono">{name}</code> was announced{' '}
        <Ago at={effect.announcedAt} long suffix=" ago" /> with
      </p>
      <Written text={jsonLines(effect.argsPreview)} />
      <EffectSaid effect={effect} />
      <p>{words.outcome}</p>
      {happened && (
        <JsonField
          label="Result, as JSON"
          value={resultText}
          onChange={setResultText}
          hint="What the effect returned. If it returned nothing: null"
        />
      )}
    </QuestionDialog>
  );
}
