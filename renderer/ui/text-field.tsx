import { useId, type KeyboardEvent, type ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** What to enter; or, where `problem` is given, that stands in its place. */
  readonly hint: ReactNode;
  /** Why what was entered can't be taken. */
  readonly problem?: string | null;
  readonly required?: boolean;
  /** As many lines, and one where it is left out. */
  readonly rows?: number;
  readonly maxLength?: number;
  /** For what a machine reads: no spelling, and every sign as wide as another. */
  readonly code?: boolean;
  /** For what nobody is to read over a shoulder. */
  readonly hidden?: boolean;
  /** Between the label and the field. */
  readonly children?: ReactNode;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A text with its label and, below it, what to enter or what is wrong with what was. */
export function TextField(props: Props) {
  const {
    label,
    value,
    onChange,
    hint,
    problem = null,
    required = false,
    rows,
    maxLength,
    code = false,
  } = props;
  const id = useId();
  const field = {
    id,
    className: `bp6-input bp6-fill${code ? ' hf-mono' : ''}`,
    value,
    autoComplete: props.hidden === true ? 'new-password' : 'off',
    'aria-describedby': `${id}-hint`,
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(code ? { spellCheck: false } : {}),
    ...(required ? { 'aria-required': true } : {}),
    ...(problem === null ? {} : { 'aria-invalid': true }),
    ...(props.onKeyDown === undefined ? {} : { onKeyDown: props.onKeyDown }),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  return (
    <div className="hf-field">
      <label htmlFor={id}>{label}</label>
      {props.children}
      {rows === undefined ? (
        <input type={props.hidden === true ? 'password' : 'text'} {...field} />
      ) : (
        <textarea rows={rows} {...field} />
      )}
      <div id={`${id}-hint`} className={problem === null ? 'hf-muted' : 'hf-alarm-text hf-block'}>
        {problem ?? hint}
      </div>
    </div>
  );
}
