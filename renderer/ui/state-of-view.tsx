import { Button } from '@blueprintjs/core';
import { Error as ErrorIcon } from '@blueprintjs/icons';
import type { ReactNode } from 'react';
import type { Failure } from '../../core/contract/define.ts';
import { FailureCode } from './failure-text.tsx';
import { visibleBlock } from './visible-text.ts';

interface EmptyProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly icon?: ReactNode;
  readonly action?: ReactNode;
}

/** Why nothing is here, and what next. */
export function EmptyView({ title, children, icon, action }: EmptyProps) {
  return (
    <div className="hf-empty">
      {icon !== undefined && <div className="hf-empty-icon">{icon}</div>}
      <h2>{title}</h2>
      <div className="hf-empty-text">{children}</div>
      {action}
    </div>
  );
}

interface FailedProps {
  /** What failed, on what. */
  readonly title: string;
  readonly failure: Failure;
  readonly onRetry: () => void;
}

/** What failed and the one thing to do about it. */
export function FailedView({ title, failure, onRetry }: FailedProps) {
  return (
    <div className="hf-empty" role="alert">
      <div className="hf-empty-icon hf-hue-danger">
        <ErrorIcon size={28} />
      </div>
      <h2>{title}</h2>
      <p className="hf-empty-text">{visibleBlock(failure.message)}</p>
      <Button intent="primary" onClick={onRetry}>
        Try again
      </Button>
      <FailureCode code={failure.code} message={failure.message} />
    </div>
  );
}

/** The place of something that is on its way. */
export function Skeleton({ lines, label }: { readonly lines: number; readonly label: string }) {
  return (
    <div className="hf-skeletons" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} className="hf-skeleton" style={{ inlineSize: `${100 - 4 * ((at * 3) % 4)}%` }} />
      ))}
    </div>
  );
}
