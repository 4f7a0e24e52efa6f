import type { TimelineRow } from '../../../core/contract/timeline-views.ts';
import { parseTimestamp } from '../../../core/model/time.ts';
import { dayText } from '../../ui/moments.ts';

/** How the rail beside a row runs: through rows of one trigger event, from its first to its last. */
export type Rail = 'none' | 'alone' | 'first' | 'middle' | 'last';

export interface PlacedRow {
  readonly row: TimelineRow;
  readonly rail: Rail;
  /** The local day, where it differs from that of the row above. */
  readonly day: string | null;
}

/** Rows in their order, neighbours of one event joined. */
export function placeRows(rows: readonly TimelineRow[]): readonly PlacedRow[] {
  let above = '';
  return rows.map((row, at) => {
    const joins = (other: TimelineRow | undefined): boolean =>
      row.eventId !== null && other !== undefined && other.eventId === row.eventId;
    const up = joins(rows[at - 1]);
    const down = joins(rows[at + 1]);
    const epochMs = parseTimestamp(row.at);
    const today = epochMs === null ? above : dayText(epochMs);
    const day = today === above ? null : today;
    above = today;
    return { row, rail: row.eventId === null ? 'none' : railOf(up, down), day };
  });
}

function railOf(up: boolean, down: boolean): Rail {
  if (up) return down ? 'middle' : 'last';
  return down ? 'first' : 'alone';
}
