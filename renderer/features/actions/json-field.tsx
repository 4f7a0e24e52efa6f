import { TextField } from '../../ui/text-field.tsx';
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
  const empty = value.trim() === '';
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      hint={empty ? hint : 'Valid JSON.'}
      problem={empty ? null : jsonProblem(value)}
      required={!optional}
      rows={4}
      code
    />
  );
}

/** What is to be done about the field before it can be sent, or null. */
export function jsonMissing(label: string, value: string, optional: boolean): string | null {
  if (value.trim() === '') return optional ? null : `Enter the ${label} first.`;
  return jsonProblem(value) === null ? null : `The ${label} is not JSON yet.`;
}
