import { HTMLSelect } from '@blueprintjs/core';
import { useId } from 'react';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One of a few. */
export function ChoiceField({ label, hint, choices, value, onChange }: Props) {
  const id = useId();
  return (
    <div className="hf-field">
      <label htmlFor={id}>{label}</label>
      <HTMLSelect
        id={id}
        fill
        {...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` })}
        options={choices.map(([one, words]) => ({ value: one, label: words }))}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {hint !== undefined && (
        <div id={`${id}-hint`} className="hf-muted">
          {hint}
        </div>
      )}
    </div>
  );
}
