import { Fragment } from 'react';
import type { ManifestChangeView, ManifestLineView } from '../../../core/contract/manifest-views.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { countText } from '../../ui/numbers.ts';
import { visibleLine } from '../../ui/visible-text.ts';

const ACTS: Readonly<Record<ManifestLineView['acts'], string>> = {
  at_once: 'At once',
  next_invocation: 'Next invocation',
  never: 'Only for who begins anew',
};

interface Props {
  readonly label: string;
  readonly lines: readonly ManifestLineView[];
  readonly lineCount: number;
}

/** Each place that is otherwise, with what stood there and what stands there now. */
export function ManifestDiff({ label, lines, lineCount }: Props) {
  if (lineCount === 0) return null;
  return (
    <Bounded label={label} className="hf-manifest-diff">
      <table className="hf-table">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Acts</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ path, fromText, toText, acts }) => (
            <tr key={path}>
              <th scope="row" className="hf-mono">
                <Path path={path} />
              </th>
              <td>{valueOf(fromText, 'hf-diff-from')}</td>
              <td>{valueOf(toText, 'hf-diff-to')}</td>
              <td className="hf-muted">{ACTS[acts]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lineCount > lines.length && (
        <p className="hf-muted">and {countText(lineCount - lines.length)} more places</p>
      )}
    </Bounded>
  );
}

function valueOf(text: string | null, className: string) {
  if (text === null) return <span className="hf-muted">not set</span>;
  return <code className={`hf-mono hf-diff-value ${className}`}>{visibleLine(text)}</code>;
}

/** What becomes of it, a sentence each. */
export function ManifestNotes({ notes }: Pick<ManifestChangeView, 'notes'>) {
  return (
    <ul className="hf-consequences">
      {notes.map((note) => (
        <li key={note}>{visibleLine(note)}</li>
      ))}
    </ul>
  );
}

/** It may be parted where its keys are. */
function Path({ path }: { readonly path: string }) {
  const parts = visibleLine(path).split(/(?<=[._])/);
  return parts.map((part, at) => (
    // The same key may come twice.
    <Fragment key={`${at} ${part}`}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
