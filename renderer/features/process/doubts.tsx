import { WarningSign } from '@blueprintjs/icons';
import type { EffectView, ProcessDetail, ProcessRow } from '../../../core/contract/views.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import { DoubtAnswers } from './doubt-answers.tsx';

export interface DoubtOf {
  readonly effect: EffectView;
  readonly invocation: ProcessDetail['open'][number];
}

/** The effects that nobody but an operator may decide, oldest first as they were announced. */
export function doubtsOf({ open }: ProcessDetail): readonly DoubtOf[] {
  return open.flatMap((invocation) =>
    invocation.effects.filter(({ needsOperator }) => needsOperator).map((effect) => ({ effect, invocation })),
  );
}

interface Props {
  readonly row: ProcessRow;
  readonly doubts: readonly DoubtOf[];
}

/** The desk for effects in doubt: all that is known of each, and the answers. */
export function Doubts({ row, doubts }: Props) {
  return (
    <section className="hf-callout hf-callout-attention" aria-label="Effects in doubt">
      <WarningSign className="hf-callout-icon" />
      <div className="hf-desk">
        <div>
          <strong>{counted(doubts.length, 'effect')} in doubt.</strong> {storyOf(doubts)} Look at the system
          it touched, then say what you found.
        </div>
        <ul className="hf-plain">
          {doubts.map(({ effect, invocation }) => (
            <li key={effect.effectId} className="hf-desk-item hf-desk-doubt">
              <div className="hf-desk-what">
                <div>
                  <code className="hf-mono hf-doubt-name">{visibleLine(effect.name)}</code>
                  <span className="hf-muted">
                    announced <Ago at={effect.announcedAt} long suffix=" ago" /> ·{' '}
                    {counted(effect.attempts, 'attempt')} · class {visibleLine(effect.effectClass)} ·
                    invocation {countText(invocation.invocation)}
                  </span>
                </div>
                <code className="hf-mono hf-block hf-args">{visibleBlock(effect.argsPreview)}</code>
                {effect.error !== '' && (
                  <div className="hf-block hf-said">
                    {effect.isValueLost
                      ? 'It happened, and what it gave is lost: enter its result, or go on without.'
                      : `It said: ${visibleBlock(effect.error)}`}
                  </div>
                )}
                <div className="hf-muted hf-with-copy">
                  key <CutText text={effect.key} room={64} />
                  <CopyButton text={effect.key} label={`Copy the key of ${visibleLine(effect.name)}`} />
                </div>
              </div>
              <DoubtAnswers row={row} effect={effect} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function storyOf(doubts: readonly DoubtOf[]): string {
  return doubts.every(({ effect }) => effect.error === '')
    ? 'Started, and nobody recorded how it ended.'
    : 'Started, and nothing that was recorded tells whether it happened.';
}
