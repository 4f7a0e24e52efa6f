import { useId, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly className?: string;
  /** What may be done about all of it, or how else it may be looked at: at the end of its head. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One thing that is known of a process, under a head. */
export function Card({ title, className = '', aside, children }: Props) {
  const id = useId();
  return (
    <section className={`hf-card ${className}`.trim()} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
