import type { Clock } from '../../core/model/ports.ts';

export interface Repetition {
  readonly clock: Clock;
  /** From the end of one reading to the next. */
  readonly everyMs: number;
  readonly isHidden: () => boolean;
}

/** Reads now and then again and again, but not while the window is hidden. The result stops it. */
export function repeatReading(
  read: () => Promise<void>,
  { clock, everyMs, isHidden }: Repetition,
): () => void {
  let cancel = (): void => undefined;
  let stopped = false;
  const round = async (): Promise<void> => {
    if (!isHidden()) await read();
    if (!stopped) cancel = clock.after(everyMs, () => void round());
  };
  void round();
  return () => {
    stopped = true;
    cancel();
  };
}
