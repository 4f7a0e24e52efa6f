import { useState } from 'react';
import type { LimitSettingView } from '../../../core/contract/settings-views.ts';
import { LIMITS } from '../../../core/model/budget.ts';
import { useConsole } from '../../app/console-context.ts';
import type { QuestionOf } from '../../stores/questions.ts';
import { limitName } from '../../ui/limit-text.ts';
import { amountText } from '../../ui/numbers.ts';
import { Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { FrozenState } from './consequences.tsx';
import { QuestionDialog } from './question-dialog.tsx';
import { useAttempt } from './use-attempt.ts';

const PRESETS: readonly string[] = [
  'The limit is too low',
  'It costs too much',
  'Until the manifest is changed',
];

const GROUPS = [
  ['day', 'Of a day'],
  ['run', 'Of a run'],
] as const;

/** What its limits are from now on. What the host refuses is said here, and nothing is changed then. */
export function LimitsDialog({ question: { row, limits } }: { readonly question: QuestionOf<'limits'> }) {
  const { client } = useConsole();
  const { attempt, failure, missing, forget } = useAttempt(row);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(limits.map(({ path, value }) => [path, textOf(value)])),
  );
  const changed = limits.filter(({ path, value }) => texts[path]!.trim() !== textOf(value));
  const wrong = changed.some(({ path }) => problemOf(texts[path]!) !== null);
  const name = visibleLine(row.name);
  const change = (reason: string): void => {
    const set = Object.fromEntries(
      changed.map(({ path }) => [path, texts[path]!.trim() === '' ? 'null' : texts[path]!.trim()]),
    );
    void attempt('Changing its limits', reason, { set, undo: [] }, (command) =>
      client.request('settings.change', command),
    );
  };
  return (
    <QuestionDialog
      title={`Change the limits of ${name}?`}
      confirm={`Change the limits of ${name}`}
      danger={false}
      wide
      why={{ presets: PRESETS, required: true }}
      missing={missing ?? missingOf(changed.length, wrong)}
      onConfirm={change}
      news={failure === null ? undefined : <Refused failure={failure}>The limits stay as they are.</Refused>}
    >
      <p>
        <strong>{name}</strong> is <FrozenState row={row} />.
      </p>
      {GROUPS.map(([scope, title]) => (
        <Group
          key={scope}
          title={title}
          limits={limits.filter(({ limit }) => LIMITS[limit].scope === scope)}
          texts={texts}
          currency={row.budget.currency}
          onChange={(path, text) => {
            forget();
            setTexts({ ...texts, [path]: text });
          }}
        />
      ))}
      <ul className="hf-consequences">
        <li>They are in force at once, also for what is under way; what was done stays done.</li>
        <li>What waits for room goes on if there is some then.</li>
        <li>
          They stay so when the host is started again, until they are taken back, or the manifest is changed
          at the same place. The manifest stays as it is.
        </li>
      </ul>
    </QuestionDialog>
  );
}

interface GroupProps {
  readonly title: string;
  readonly limits: readonly LimitSettingView[];
  readonly texts: Readonly<Record<string, string>>;
  readonly currency: string | null;
  readonly onChange: (path: string, text: string) => void;
}

function Group({ title, limits, texts, currency, onChange }: GroupProps) {
  if (limits.length === 0) return null;
  return (
    <fieldset className="hf-field-group">
      <legend>{title}</legend>
      {limits.map(({ limit, path, words, value }) => (
        <TextField
          key={path}
          label={labelOf(limit, words, currency)}
          value={texts[path]!}
          onChange={(text) => onChange(path, text)}
          hint={hintOf(value, texts[path]!)}
          problem={problemOf(texts[path]!)}
          code
        />
      ))}
    </fieldset>
  );
}

/** Money says of which currency; everything else counts itself. */
function labelOf(limit: LimitSettingView['limit'], words: string, currency: string | null): string {
  const name = limitName(words);
  return LIMITS[limit].meter === 'money' && currency !== null ? `${name}, ${currency}` : name;
}

function missingOf(changes: number, wrong: boolean): string | null {
  if (wrong) return 'A limit is a number from 0 up, or empty.';
  return changes === 0 ? 'Change a limit first.' : null;
}

function textOf(value: LimitSettingView['value']): string {
  return value === null ? '' : String(value);
}

function hintOf(value: LimitSettingView['value'], text: string): string {
  if (text.trim() === textOf(value)) return value === null ? 'No limit.' : 'Empty: no limit.';
  if (value === null) return 'There was no limit.';
  return text.trim() === ''
    ? `No limit any more; it was ${amountText(value)}.`
    : `It was ${amountText(value)}.`;
}

function problemOf(text: string): string | null {
  const said = text.trim();
  if (said === '') return null;
  // As JSON has it, because that is what it is sent as.
  const isNumber = /^(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(said) && Number.isFinite(Number(said));
  return isNumber ? null : 'A number from 0 up, as in 20 or 2.5; empty for no limit.';
}
