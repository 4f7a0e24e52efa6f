import { useState } from 'react';
import type { EffectClass } from '../../../core/model/effects.ts';
import { pathOf } from '../../../core/model/settings.ts';
import { toolSetting } from '../../../core/model/tools.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { Refused } from '../../ui/refused.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { QuestionDialog } from './question-dialog.tsx';
import { CLASS_WORDS } from './tool-words.ts';
import { useAttempt } from './use-attempt.ts';

const OFF_PRESETS: readonly string[] = ['It does harm', 'Its server misbehaves', 'Not needed'];
const ON_PRESETS: readonly string[] = ['It works again', 'Disabled by mistake'];
const CLASS_PRESETS: readonly string[] = ['It only reads', 'Looked into it', 'Better ask'];

/** Whether the model is offered a tool. */
export function ToolSwitchDialog({
  question: { row, tool },
}: {
  readonly question: QuestionOf<'tool-switch'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing } = useAttempt(row);
  const name = visibleLine(tool.name);
  const { isEnabled } = tool;
  const verb = isEnabled ? 'Disable' : 'Enable';
  const set = { [pathOf(toolSetting(tool.name, 'disabled'))]: String(isEnabled) };
  return (
    <QuestionDialog
      title={`${verb} ${name}?`}
      confirm={`${verb} ${name}`}
      danger={false}
      why={{ presets: isEnabled ? OFF_PRESETS : ON_PRESETS, required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt(
          isEnabled ? 'Disabling a tool' : 'Enabling a tool',
          reason,
          { set, undo: [] },
          (command) => client.request('settings.change', command),
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Nothing was changed.</Refused>}
    >
      <p>
        <code className="hf-mono">{name}</code>{' '}
        {isEnabled ? 'is offered to the model of' : 'is not offered to the model of'}{' '}
        <strong>{visibleLine(row.name)}</strong>.
      </p>
      <ul className="hf-consequences">
        <li>
          From the next invocation on it {isEnabled ? 'is not' : 'is'} offered. One that is under way keeps
          the tools that it began with.
        </li>
        <li>The manifest stays as it is; this stands beside it until it is taken back.</li>
      </ul>
    </QuestionDialog>
  );
}

/** Without a server that can be asked, or an argument that takes a key, these are what can be meant. */
const CHOICES: readonly (readonly [EffectClass, string])[] = [
  ['ask', `ask: a call in doubt ${CLASS_WORDS.ask}`],
  ['retry', `retry: a call in doubt ${CLASS_WORDS.retry}`],
  ['idempotent', `idempotent: a call in doubt ${CLASS_WORDS.idempotent}`],
];

/** What becomes of calls of a tool that nobody knows the end of. */
export function ToolClassDialog({
  question: { row, name: tool, now },
}: {
  readonly question: QuestionOf<'tool-class'>;
}) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [wanted, setWanted] = useState<EffectClass>(now === 'ask' || now === null ? 'retry' : 'ask');
  const name = visibleLine(tool);
  const set = { [pathOf(toolSetting(tool, 'class'))]: JSON.stringify(wanted) };
  return (
    <QuestionDialog
      title={`Treat ${name} otherwise from now on?`}
      confirm={`Treat ${name} as ${wanted}`}
      danger={wanted !== 'ask'}
      why={{ presets: CLASS_PRESETS, required: true }}
      missing={missing}
      onConfirm={(reason) =>
        void attempt('Changing the class of a tool', reason, { set, undo: [] }, (command) =>
          client.request('settings.change', command),
        )
      }
      news={failure === null ? undefined : <Refused failure={failure}>Nothing was changed.</Refused>}
    >
      <p>
        A call of <code className="hf-mono">{name}</code> that nobody knows the end of{' '}
        {now === null ? 'is handled as its server is trusted' : CLASS_WORDS[now]}.
      </p>
      <ChoiceField
        label="From the next invocation on, treat it as"
        choices={CHOICES}
        value={wanted}
        onChange={(value) => {
          setWanted(value as EffectClass);
          forget();
        }}
      />
      <ul className="hf-consequences">
        {wanted === 'idempotent' && (
          <li>The manifest has to name the argument that takes the key; until it does, a person is asked.</li>
        )}
        {wanted !== 'ask' && <li>What is made again without a question may happen twice.</li>}
        <li>What is in doubt now is still to be decided.</li>
      </ul>
    </QuestionDialog>
  );
}
