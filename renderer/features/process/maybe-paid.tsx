import { counted } from '../../ui/numbers.ts';

interface Props {
  /** Of a model, cut short. */
  readonly calls: number;
}

/** Behind the class of an effect; nothing where no call of it is in question. */
export function MaybePaid({ calls }: Props) {
  return calls === 0 ? null : <span className="hf-maybe-paid"> · maybe paid</span>;
}

/** [S33] What that means for the budget. */
export function MaybePaidStory({ calls }: Props) {
  if (calls === 0) return null;
  return (
    <p>
      {counted(calls, 'call')} of the model gave nothing, and may have been paid all the same: what{' '}
      {calls === 1 ? 'it' : 'they'} could have cost stays reserved in the budget.
    </p>
  );
}
