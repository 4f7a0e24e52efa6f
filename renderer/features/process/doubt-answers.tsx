import { Button } from '@blueprintjs/core';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { EffectView } from '../../../core/contract/work-views.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import type { Resolution } from '../../stores/questions.ts';
import { visibleLine } from '../../ui/visible-text.ts';

const ANSWERS: readonly (readonly [Resolution['kind'], string])[] = [
  ['happened', 'It happened…'],
  ['did_not_happen', 'It did not happen: run it now…'],
  ['skip', 'Skip…'],
];

interface Props {
  readonly row: ProcessRow;
  readonly effect: EffectView;
}

/** What an operator may say of an effect in doubt. Each leads to a question that takes a reason. */
export function AnswerButtons({ row, effect }: Props) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  const name = visibleLine(effect.name);
  return (
    <>
      {ANSWERS.filter(([kind]) => kind !== 'did_not_happen' || !effect.isValueLost).map(([kind, label]) => (
        <Button
          key={kind}
          size="small"
          disabled={off}
          aria-label={`${label}: ${name}`}
          onClick={() => actions.ask({ kind: 'effect', resolution: kind, row, effect })}
        >
          {label}
        </Button>
      ))}
    </>
  );
}
