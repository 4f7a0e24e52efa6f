import { useLayoutEffect, useMemo, useRef, type Ref, type UIEvent } from 'react';

interface Props {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Lines with something wrong in them. */
  readonly marked: ReadonlySet<number>;
  /** Where what is wrong is listed. */
  readonly describedBy: string;
  /** The cursor is somewhere else. */
  readonly onPlace: (at: number) => void;
  readonly field: Ref<HTMLTextAreaElement>;
}

/** A plain text field with numbered lines. Tab leaves it, as everywhere. */
export function ManifestText({ label, text, onChange, marked, describedBy, onPlace, field }: Props) {
  const numbers = useRef<HTMLOListElement>(null);
  const count = useMemo(() => text.split('\n').length, [text]);
  const scrolled = useRef(0);
  useLayoutEffect(() => {
    if (numbers.current !== null) numbers.current.scrollTop = scrolled.current;
  });
  const onScroll = ({ currentTarget }: UIEvent<HTMLTextAreaElement>): void => {
    scrolled.current = currentTarget.scrollTop;
    if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop;
  };
  return (
    <div className="hf-manifest-text hf-mono">
      <ol ref={numbers} className="hf-line-numbers" aria-hidden="true">
        {Array.from({ length: count }, (_, at) => (
          <li key={at} className={marked.has(at + 1) ? 'hf-line-marked' : undefined}>
            {at + 1}
          </li>
        ))}
      </ol>
      <textarea
        ref={field}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={marked.size > 0}
        className="hf-manifest-field hf-mono"
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={text}
        onScroll={onScroll}
        onSelect={({ currentTarget }) => onPlace(currentTarget.selectionStart)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
