import type { ProcessRow } from '../../core/contract/process-row.ts';
import { parseTimestamp } from '../../core/model/time.ts';
import { dayClockText } from './moments.ts';
import { visibleLine } from './visible-text.ts';

/** Why it is not moving, or what it does, as one text; its time is local. */
export function whyText({ why, whyAt }: Pick<ProcessRow, 'why' | 'whyAt'>, nowMs: number): string {
  const epochMs = whyAt === null ? null : parseTimestamp(whyAt);
  return visibleLine(why) + (epochMs === null ? '' : ` ${dayClockText(epochMs, nowMs)}`);
}
