import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

interface Props {
  readonly facts: readonly Fact[];
  readonly className?: string;
}

/** Names and what is known of each. No two have the same name. */
export function FactList({ facts, className = '' }: Props) {
  return (
    <dl className={`hf-facts ${className}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
