import { useEffect, useRef } from 'react';

interface Props {
  readonly children: string;
  readonly className?: string;
}

/**
 * The heading of a page that was opened from a place that is gone with it: it takes the focus where nothing else has
 * it, so that reading begins there.
 */
export function PageHeading({ children, className = '' }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
