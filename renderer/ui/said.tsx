import type { EffectView } from '../../core/contract/work-views.ts';
import { Bounded } from './bounded.tsx';
import { visibleBlock } from './visible-text.ts';

/** What somebody or something said, in a bounded room of its own: it may be very long. */
export function Said({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <Bounded label="What was said" className="hf-block hf-said">
      {visibleBlock(text)}
    </Bounded>
  );
}

/** What an effect said of how it ended. */
export function EffectSaid({
  effect: { error, isValueLost },
}: {
  readonly effect: Pick<EffectView, 'error' | 'isValueLost'>;
}) {
  if (isValueLost)
    return <Said text="It happened, and what it gave is lost: enter its result, or go on without." />;
  return error === '' ? null : <Said text={`It said: ${error}`} />;
}

/** A value as the journal has it; a room that is too small for it scrolls. */
export function Written({ text }: { readonly text: string }) {
  return (
    <Bounded as="pre" label="Value" className="hf-mono hf-block hf-args">
      {visibleBlock(text)}
    </Bounded>
  );
}
