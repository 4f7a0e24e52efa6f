import type { ReactNode } from 'react';

interface Props {
  readonly heads: readonly string[];
  readonly className?: string;
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table that scrolls in its own room where the window is too narrow for it. */
export function Table({ heads, className = '', children }: Props) {
  return (
    <div className="hf-table-room">
      <table className={`hf-table ${className}`}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
