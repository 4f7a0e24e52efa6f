import type { WaitingDetail } from '../../../core/contract/waiting-view.ts';
import { Bounded } from '../../ui/bounded.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';

interface Props {
  readonly diff: WaitingDetail['diffs'][number];
}

/** What a text becomes: each line begins with what happens to it, so colour says nothing alone. */
export function DiffText({ diff: { title, text, isCut } }: Props) {
  const name = visibleLine(title);
  return (
    <section className="hf-diff" aria-label={`Changes of ${name}`}>
      <h3 className="hf-mono">{name}</h3>
      {text === '' ? (
        <p className="hf-muted">Nothing would change.</p>
      ) : (
        <Bounded as="pre" label={`Changes of ${name}`} className="hf-mono hf-diff-lines">
          {linesOf(text).map((line, at) => (
            // Lines have no other name than their place.
            <span key={at} className={toneOf(line)}>
              {visibleBlock(line)}
            </span>
          ))}
        </Bounded>
      )}
      {isCut && <p className="hf-muted hf-note">Only the beginning is shown.</p>}
    </section>
  );
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}

function toneOf(line: string): string {
  if (line.startsWith('+')) return 'hf-diff-new';
  if (line.startsWith('-')) return 'hf-diff-old';
  return line.startsWith('@@') ? 'hf-diff-place' : 'hf-diff-same';
}
