import { Button } from '@blueprintjs/core';
import { Th } from '@blueprintjs/icons';
import { useState, type ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import type { Fact } from '../../ui/fact-list.tsx';

interface CardProps {
  readonly title: string;
  /** Beside the words, where there is one. */
  readonly chart?: ReactNode;
  readonly rows: readonly Fact[];
  readonly children: ReactNode;
  /** Under both. */
  readonly below?: ReactNode;
}

/** A gauge, and the table that says the same. */
export function GaugeCard({ title, chart = null, rows, children, below = null }: CardProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      title={title}
      className="hf-gauge"
      aside={
        <Button
          variant="minimal"
          size="small"
          icon={<Th size={12} />}
          active={asTable}
          aria-pressed={asTable}
          aria-label={`${title} as a table`}
          title="As a table"
          onClick={() => setAsTable(!asTable)}
        />
      }
    >
      {asTable ? (
        <table className="hf-twin">
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <>
          <div className="hf-gauge-body">
            {chart}
            <div className="hf-gauge-words">{children}</div>
          </div>
          {below}
        </>
      )}
    </Card>
  );
}
