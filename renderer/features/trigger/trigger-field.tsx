import { Checkbox } from '@blueprintjs/core';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { fieldProblem, linesOf } from './trigger-config-text.ts';
import type { TriggerField } from './trigger-kinds.ts';

interface Props {
  readonly field: TriggerField;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether the host found it wrong. */
  readonly refused: boolean;
}

/** One thing that is asked about a trigger. */
export function TriggerFieldInput({ field, value, onChange, refused }: Props) {
  const { label, hint, shape, required } = field;
  switch (shape.is) {
    case 'choice':
      return (
        <ChoiceField label={label} hint={hint} choices={shape.choices} value={value} onChange={onChange} />
      );
    case 'several':
      return <Several label={label} choices={shape.choices} value={value} onChange={onChange} />;
    case 'text':
    case 'number':
    case 'list':
    case 'variable':
      return (
        <TextField
          label={label}
          value={value}
          onChange={onChange}
          hint={hint}
          problem={fieldProblem(field, value) ?? (refused ? `The host refused this. ${hint}` : null)}
          required={required}
          code
          {...(shape.is === 'list' ? { rows: 2 } : {})}
        />
      );
  }
}

interface SeveralProps {
  readonly label: string;
  readonly choices: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Several({ label, choices, value, onChange }: SeveralProps) {
  const chosen = linesOf(value);
  const toggle = (choice: string, on: boolean): void => {
    onChange(choices.filter((one) => (one === choice ? on : chosen.includes(one))).join('\n'));
  };
  return (
    <fieldset className="hf-field hf-several">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <Checkbox
          key={choice}
          inline
          label={choice}
          checked={chosen.includes(choice)}
          onChange={({ currentTarget }) => toggle(choice, currentTarget.checked)}
        />
      ))}
    </fieldset>
  );
}
