import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';

interface Props {
  /** What is in it, for who comes to it by the keyboard. */
  readonly label: string;
  /** Bounds its height and lets it scroll. */
  readonly className: string;
  readonly as?: 'div' | 'pre' | 'span';
  readonly children: ReactNode;
}

/** A room of bounded height. What does not fit scrolls; then, and only then, the keyboard stops there. */
export function Bounded({ label, className, as: Room = 'div', children }: Props) {
  const room = useRef<HTMLDivElement & HTMLPreElement & HTMLSpanElement>(null);
  const [scrolls, setScrolls] = useState(false);
  const measure = useCallback((): void => {
    const element = room.current;
    if (element !== null) setScrolls(element.scrollHeight > element.clientHeight + 1);
  }, []);
  // What is in it may have changed, or the room that there is for it.
  useLayoutEffect(measure);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (room.current !== null) observer.observe(room.current);
    return () => observer.disconnect();
  }, [measure]);
  return (
    <Room
      ref={room}
      className={className}
      {...(scrolls ? { tabIndex: 0, role: 'group', 'aria-label': label } : {})}
    >
      {children}
    </Room>
  );
}
