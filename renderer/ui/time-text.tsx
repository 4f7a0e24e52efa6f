import { parseTimestamp } from '../../core/model/time.ts';
import { longSpanText, spanText, steppedAge, untilText } from './durations.ts';
import { dayClockText, isoText, momentText, preciseClockText } from './moments.ts';
import { useTicking } from './ticker.ts';
import { visibleLine } from './visible-text.ts';

interface Props {
  /** A journal's timestamp. */
  readonly at: string;
  readonly long?: boolean;
  readonly suffix?: string;
}

/** How long ago, kept up to date; the moment itself on hover, and as ISO 8601 when copied. */
export function Ago({ at, long = false, suffix = '' }: Props) {
  const epochMs = parseTimestamp(at);
  const text = useTicking(() => {
    if (epochMs === null) return visibleLine(at);
    return (long ? longSpanText : spanText)(steppedAge(Date.now() - epochMs)) + suffix;
  });
  return <Moment at={at}>{text}</Moment>;
}

/** How long until then, kept up to date. What has come and is not known to have happened says how late it is [P5]. */
export function Until({ at }: { readonly at: string }) {
  const epochMs = parseTimestamp(at);
  const text = useTicking(() => (epochMs === null ? visibleLine(at) : untilText(epochMs - Date.now())));
  return <Moment at={at}>{text}</Moment>;
}

/** The time of day, with the day where that is not today's. */
export function DayClock({ at }: { readonly at: string }) {
  const epochMs = parseTimestamp(at);
  const text = useTicking(() => (epochMs === null ? visibleLine(at) : dayClockText(epochMs, Date.now())));
  return <Moment at={at}>{text}</Moment>;
}

/** The time of day, to the millisecond. */
export function ClockTime({ at }: { readonly at: string }) {
  const epochMs = parseTimestamp(at);
  return <Moment at={at}>{epochMs === null ? visibleLine(at) : preciseClockText(epochMs)}</Moment>;
}

function Moment({ at, children }: { readonly at: string; readonly children: string }) {
  return (
    <time
      dateTime={isoText(at)}
      title={visibleLine(momentText(at))}
      data-copy={isoText(at)}
      className="hf-time"
    >
      {children}
    </time>
  );
}
