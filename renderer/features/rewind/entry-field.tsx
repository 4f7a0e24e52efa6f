import { TextField } from '../../ui/text-field.tsx';

const NUMBER = /^[1-9]\d{0,14}$/;

/** The number of an entry, or null for what is none. */
export function seqOf(text: string): number | null {
  const trimmed = text.trim();
  return NUMBER.test(trimmed) ? Number(trimmed) : null;
}

/** What is to be done about it first, or null. */
export function seqProblem(text: string): string | null {
  if (text.trim() === '') return 'Enter the number of an entry first.';
  return seqOf(text) === null ? 'The entry is not a number yet.' : null;
}

interface Props {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Which entry: the one that it was asked for, or any other. */
export function EntryField({ value, onChange }: Props) {
  return (
    <TextField
      label="Entry"
      value={value}
      onChange={onChange}
      hint="Its number in the timeline. That entry itself still counts."
      problem={value.trim() !== '' && seqOf(value) === null ? 'Entries are numbered from 1 on.' : null}
      maxLength={15}
      required
      code
    />
  );
}
