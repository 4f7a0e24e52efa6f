import { StateMark } from './state-mark.tsx';
import type { WorkLook } from './work-look.ts';

/** Shape, colour and word of an effect's end or an invocation's standing. */
export function WorkMark({ look }: { readonly look: WorkLook }) {
  return (
    <span className={`hf-state hf-hue-${look.hue}`}>
      <StateMark look={look} />
      <span className="hf-state-text">{look.word}</span>
    </span>
  );
}
