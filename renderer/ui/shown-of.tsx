import { countText } from './numbers.ts';

interface Props {
  readonly shown: number;
  readonly of: number;
  /** What they are, in the plural. */
  readonly what: string;
}

/** A list that is cut says so. */
export function ShownOf({ shown, of, what }: Props) {
  if (shown >= of) return null;
  return (
    <p className="hf-muted hf-note">
      Showing {countText(shown)} of {countText(of)} {what}.
    </p>
  );
}
