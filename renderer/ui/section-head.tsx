import type { ReactNode } from 'react';
import { countText } from './numbers.ts';

interface Props {
  readonly title: string;
  /** How much of a list is shown: said where that is not all of it, since its end may be far below. */
  readonly shown?: number;
  readonly of?: number;
  /** What may be done about all of it. */
  readonly children?: ReactNode;
}

export function SectionHead({ title, shown = 0, of = shown, children }: Props) {
  return (
    <header className="hf-section-head">
      <h2>{title}</h2>
      {shown < of && (
        <span className="hf-muted">
          {countText(shown)} of {countText(of)} shown
        </span>
      )}
      {children}
    </header>
  );
}
