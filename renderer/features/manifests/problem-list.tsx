import type { ManifestProblemView } from '../../../core/contract/manifest-views.ts';
import { visibleLine } from '../../ui/visible-text.ts';

interface Props {
  /** What they are, where they are none. */
  readonly label?: string;
  readonly problems: readonly ManifestProblemView[];
  /** Leads to a line; left out where there is no text to lead to. */
  readonly onLine?: (line: number) => void;
}

/** What is wrong with a manifest, or worth knowing of it, each with its place. */
export function ProblemList({ label = 'Problems', problems, onLine }: Props) {
  return (
    <ul className="hf-plain hf-manifest-problems" aria-label={label}>
      {problems.map(({ path, line, message }) => (
        <li key={`${line} ${path} ${message}`}>
          {line !== null &&
            (onLine === undefined ? (
              <span className="hf-muted">Line {line}</span>
            ) : (
              <button type="button" className="hf-link-button" onClick={() => onLine(line)}>
                Line {line}
              </button>
            ))}{' '}
          {path !== '' && <code className="hf-mono">{visibleLine(path)}</code>} {visibleLine(message)}
        </li>
      ))}
    </ul>
  );
}
