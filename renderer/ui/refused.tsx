import { useEffect, useRef, type ReactNode } from 'react';
import type { Failure } from '../../core/contract/define.ts';
import { FailureCode } from './failure-text.tsx';
import { visibleBlock } from './visible-text.ts';

interface Props {
  readonly failure: Failure;
  /** What did not happen, in a sentence. */
  readonly children: ReactNode;
}

/** Why something was not done, said where it was asked for; in sight when it comes. */
export function Refused(props: Props) {
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that asked was off while the answer was waited for, and has lost the focus by that.
    if (document.activeElement === document.body) room.current?.focus();
    room.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div tabIndex={-1} ref={room}>
      <NotPossible {...props} />
    </div>
  );
}

/** Why something can not be done. */
export function NotPossible({ failure: { code, message }, children }: Props) {
  return (
    <div className="hf-refused" role="alert">
      <div className="hf-block">
        <strong>{children}</strong> <span className="hf-alarm-text">{visibleBlock(message)}</span>
      </div>
      <FailureCode code={code} message={message} />
    </div>
  );
}
