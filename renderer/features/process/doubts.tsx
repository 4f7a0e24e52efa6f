import { WarningSign } from '@blueprintjs/icons';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { EffectView, InvocationView } from '../../../core/contract/work-views.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { counted, countText } from '../../ui/numbers.ts';
import { EffectSaid, Written } from '../../ui/said.tsx';
import { ShownOf } from '../../ui/shown-of.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { Desk, DeskItem } from './desk.tsx';
import { AnswerButtons } from './doubt-answers.tsx';
import { TreatAs } from './treat-as.tsx';

export interface DoubtOf {
  readonly effect: EffectView;
  readonly invocation: InvocationView;
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
    <Desk
      label="Effects in doubt"
      tone="attention"
      icon={<WarningSign />}
      items={doubts.map((doubt) => (
        <Doubt key={doubt.effect.effectId} row={row} doubt={doubt} />
      ))}
    >
      <strong>{counted(row.doubts, 'effect')} in doubt.</strong> {storyOf(doubts)} Look at the system it
      touched, then say what you found.
      <ShownOf shown={doubts.length} of={row.doubts} what="effects in doubt" />
    </Desk>
  );
}

function Doubt({
  row,
  doubt: { effect, invocation },
}: {
  readonly row: ProcessRow;
  readonly doubt: DoubtOf;
}) {
  const name = visibleLine(effect.name);
  return (
    <DeskItem
      wide
      title={<code className="hf-mono">{name}</code>}
      about={
        <>
          announced <Ago at={effect.announcedAt} long suffix=" ago" /> · {counted(effect.attempts, 'attempt')}{' '}
          · class {visibleLine(effect.effectClass)} · invocation {countText(invocation.invocation)}
        </>
      }
      answersLabel={`Answers: ${name}`}
      answers={
        <>
          <AnswerButtons row={row} effect={effect} />
          <TreatAs row={row} effect={effect} />
        </>
      }
    >
      <Written text={effect.argsPreview} />
      <EffectSaid effect={effect} />
      <div className="hf-muted hf-with-copy">
        key <CutText text={effect.key} room={64} />
        <CopyButton text={effect.key} label={`Copy the key of ${name}`} />
      </div>
    </DeskItem>
  );
}

function storyOf(doubts: readonly DoubtOf[]): string {
  return doubts.every(({ effect }) => effect.error === '')
    ? 'Started, and nobody recorded how it ended.'
    : 'Started, and nothing that was recorded tells whether it happened.';
}
