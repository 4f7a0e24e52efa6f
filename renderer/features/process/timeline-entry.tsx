import { Button } from '@blueprintjs/core';
import { ChevronRight, GitBranch, History } from '@blueprintjs/icons';
import { memo } from 'react';
import type { TimelineRow } from '../../../core/contract/timeline-views.ts';
import { useActionsOff, useProcess } from '../../app/console-context.ts';
import { jsonLines } from '../../ui/json-lines.ts';
import { countText } from '../../ui/numbers.ts';
import { ClockTime } from '../../ui/time-text.tsx';
import { visibleBlock, visibleLine } from '../../ui/visible-text.ts';
import type { Rail } from './timeline-groups.ts';

interface Props {
  readonly row: TimelineRow;
  readonly rail: Rail;
  readonly day: string | null;
  readonly opened: boolean;
  readonly toggle: (id: string) => void;
  /** Null where nothing may be done. */
  readonly goFrom: GoFrom | null;
}

/** Asks to go on from an entry: with this process, or with a new one. */
export type GoFrom = (kind: 'rewind' | 'fork', seq: number) => void;

/** Words for the tones that are news. */
const TONES: Readonly<Record<TimelineRow['tone'], string>> = {
  quiet: '',
  working: '',
  attention: 'attention',
  alarm: 'alarm',
};

const TRUST: Readonly<Record<TimelineRow['verification'], string>> = {
  verified: 'Checksum, chain and sequence fit.',
  unverified: 'Written without checksums: nothing vouches for it.',
  broken: 'Checksum, chain or sequence does not fit: the line was changed, or lines are missing before it.',
  unreadable: 'The line could not be read as an entry. Its bytes stay where they are.',
};

/** One line of the journal. */
export const TimelineEntry = memo(function TimelineEntry({ row, rail, day, opened, toggle, goFrom }: Props) {
  const unreadable = row.verification === 'unreadable';
  const kind = unreadable ? 'hf-gap' : `hf-tone-${row.tone}`;
  return (
    <li
      data-event={row.eventId ?? undefined}
      className={`hf-entry ${kind} hf-rail-${rail}${opened ? ' hf-opened' : ''}`}
    >
      {day !== null && <div className="hf-day">{day}</div>}
      <button type="button" className="hf-entry-line" aria-expanded={opened} onClick={() => toggle(row.id)}>
        <span className="hf-seq hf-mono">{countText(row.seq)}</span>
        <span className="hf-at">{unreadable ? '' : <ClockTime at={row.at} />}</span>
        <span className="hf-type">{unreadable ? 'unreadable line' : visibleLine(row.type)}</span>
        <span className="hf-summary">{visibleLine(row.summary)}</span>
        <span className="hf-flags">
          {row.verification === 'broken' && <span className="hf-flag hf-flag-alarm">broken</span>}
          {TONES[row.tone] !== '' && !unreadable && (
            <span className={`hf-flag hf-flag-${row.tone}`}>{TONES[row.tone]}</span>
          )}
        </span>
        <ChevronRight size={12} className="hf-chevron" />
      </button>
      {opened && <EntryDetail row={row} goFrom={unreadable ? null : goFrom} />}
    </li>
  );
});

function EntryDetail({ row, goFrom }: Pick<Props, 'row' | 'goFrom'>) {
  return (
    <div className="hf-entry-detail">
      <pre className="hf-mono hf-block" tabIndex={0} aria-label={`Data of entry ${row.seq}`}>
        {visibleBlock(row.verification === 'unreadable' ? row.dataText : jsonLines(row.dataText))}
      </pre>
      <p className="hf-muted">
        {row.cut && `Cut at the host’s limit: the first ${countText(row.dataText.length)} characters. `}
        {TRUST[row.verification]} {row.eventId !== null && <>Trigger event {visibleLine(row.eventId)}.</>}
      </p>
      {goFrom !== null && <GoFromHere seq={row.seq} goFrom={goFrom} />}
    </div>
  );
}

function GoFromHere({ seq, goFrom }: { readonly seq: number; readonly goFrom: GoFrom }) {
  const target = useProcess((state) => state.target);
  const off = useActionsOff(target ?? { journalId: '', process: '' });
  return (
    <div className="hf-buttons" role="group" aria-label={`Go on from entry ${seq}`}>
      <Button size="small" icon={<History size={12} />} disabled={off} onClick={() => goFrom('rewind', seq)}>
        Rewind to here…
      </Button>
      <Button size="small" icon={<GitBranch size={12} />} disabled={off} onClick={() => goFrom('fork', seq)}>
        Fork from here…
      </Button>
    </div>
  );
}
