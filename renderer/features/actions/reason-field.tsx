import { useId } from 'react';
import { usePart } from '../../app/console-context.ts';

const MOST_REASON = 500;

interface Props {
  readonly presets: readonly string[];
  readonly value: string;
  readonly onChange: (reason: string) => void;
  readonly hint: string;
}

/** Why it is done: one of the usual reasons, the last one again, or the operator's own words. */
export function ReasonField({ presets, value, onChange, hint }: Props) {
  const id = useId();
  const last = usePart(
    ({ actions }) => actions,
    (state) => state.lastReason,
  );
  const offered = last === '' || presets.includes(last) ? presets : [...presets, last];
  return (
    <div className="hf-field">
      <label htmlFor={id}>Reason</label>
      <div className="hf-presets" role="group" aria-label="Usual reasons">
        {offered.map((preset) => (
          <button
            key={preset}
            type="button"
            className="hf-preset"
            aria-pressed={value === preset}
            onClick={() => onChange(preset)}
          >
            {preset === last && !presets.includes(preset) ? `Same as last: ${preset}` : preset}
          </button>
        ))}
      </div>
      <input
        id={id}
        type="text"
        className="bp6-input bp6-fill"
        value={value}
        maxLength={MOST_REASON}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div id={`${id}-hint`} className="hf-muted">
        {hint}
      </div>
    </div>
  );
}
