import { usePart } from '../../app/console-context.ts';
import { TextField } from '../../ui/text-field.tsx';

const MOST_REASON = 500;

interface Props {
  readonly presets: readonly string[];
  readonly value: string;
  readonly onChange: (reason: string) => void;
  readonly required: boolean;
  readonly hint: string;
  /** Said in place of the hint. */
  readonly problem: string | null;
}

/** Why it is done: one of the usual reasons, the last one again, or the operator's own words. */
export function ReasonField({ presets, value, onChange, required, hint, problem }: Props) {
  const last = usePart(
    ({ actions }) => actions,
    (state) => state.lastReason,
  );
  const offered = last === '' || presets.includes(last) ? presets : [...presets, last];
  return (
    <TextField
      label="Reason"
      value={value}
      onChange={onChange}
      hint={hint}
      problem={problem}
      required={required}
      maxLength={MOST_REASON}
    >
      <div className="hf-presets" role="group" aria-label="Usual reasons">
        {offered.map((preset) => (
          <button
            key={preset}
            type="button"
            className="hf-preset"
            aria-pressed={value === preset}
            title={preset}
            onClick={() => onChange(preset)}
          >
            {preset === last && !presets.includes(preset) ? `Same as last: ${preset}` : preset}
          </button>
        ))}
      </div>
    </TextField>
  );
}
