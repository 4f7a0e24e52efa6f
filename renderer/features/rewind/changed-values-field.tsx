import { Button } from '@blueprintjs/core';
import { Cross, Plus } from '@blueprintjs/icons';
import { useId, useRef } from 'react';
import { visibleLine } from '../../ui/visible-text.ts';
import { jsonProblem } from '../actions/json-problem.ts';
import type { ChangedValue } from './changed-values.ts';

interface Props {
  /** Of all of them. */
  readonly label: string;
  /** What one of them is: "key". */
  readonly one: string;
  readonly hint: string;
  /** Some that there are, to choose from. */
  readonly known: readonly string[];
  readonly values: readonly ChangedValue[];
  readonly onChange: (values: readonly ChangedValue[]) => void;
}

/** Pairs of a name and a value as JSON, as many as wanted. */
export function ChangedValuesField({ label, one, hint, known, values, onChange }: Props) {
  const id = useId();
  const next = useRef(0);
  const add = (): void => {
    next.current += 1;
    onChange([...values, { id: next.current, key: '', text: '' }]);
  };
  const change = (at: number, over: Partial<ChangedValue>): void => {
    onChange(values.map((value, index) => (index === at ? { ...value, ...over } : value)));
  };
  return (
    <fieldset className="hf-field hf-changed">
      <legend>{label}</legend>
      <div className="hf-muted">{hint}</div>
      {values.map((value, at) => {
        const problem = value.text.trim() === '' ? null : jsonProblem(value.text);
        const which = `${one} ${at + 1}`;
        return (
          <div className="hf-changed-row" key={value.id}>
            <input
              type="text"
              className="bp6-input hf-mono"
              aria-label={`Name of ${which}`}
              placeholder={one}
              list={`${id}-known`}
              value={value.key}
              autoComplete="off"
              spellCheck={false}
              onChange={({ currentTarget }) => change(at, { key: currentTarget.value })}
            />
            <input
              type="text"
              className="bp6-input hf-mono"
              aria-label={`Value of ${which}, as JSON`}
              aria-describedby={`${id}-${value.id}`}
              placeholder="JSON"
              value={value.text}
              autoComplete="off"
              spellCheck={false}
              {...(problem === null ? {} : { 'aria-invalid': true })}
              onChange={({ currentTarget }) => change(at, { text: currentTarget.value })}
            />
            <Button
              variant="minimal"
              icon={<Cross />}
              aria-label={`Take ${which} away`}
              title="Take it away"
              onClick={() => onChange(values.filter((_, index) => index !== at))}
            />
            <div id={`${id}-${value.id}`} className="hf-alarm-text hf-block">
              {problem}
            </div>
          </div>
        );
      })}
      <datalist id={`${id}-known`}>
        {known.map((key) => (
          <option key={key} value={key}>
            {visibleLine(key)}
          </option>
        ))}
      </datalist>
      <div>
        <Button size="small" icon={<Plus size={12} />} onClick={add}>
          Change a {one}
        </Button>
      </div>
    </fieldset>
  );
}
