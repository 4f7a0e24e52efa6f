import { useId } from 'react';
import { jsonProblem } from './json-problem.ts';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** What to enter, while nothing is. */
  readonly hint: string;
  /** Whether nothing is an answer too. */
  readonly optional?: boolean;
}

/** JSON, checked as it is typed and sent as it is written. */
export function JsonField({ label, value, onChange, hint, optional = false }: Props) {
  const id = useId();
  const problem = fieldProblem(value, optional);
  const wrong = value !== '' && problem !== null;
  return (
    <div className="hf-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="bp6-input bp6-fill hf-mono"
        rows={4}
        spellCheck={false}
        value={value}
        aria-invalid={wrong}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div id={`${id}-hint`} className={wrong ? 'hf-alarm-text' : 'hf-muted'}>
        {value === '' ? hint : (problem ?? 'Valid JSON.')}
      </div>
    </div>
  );
}

/** Why the field can't be sent as it is, or null. */
export function fieldProblem(value: string, optional: boolean): string | null {
  return optional && value.trim() === '' ? null : jsonProblem(value);
}
