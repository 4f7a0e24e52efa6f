import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import { Card } from '../../ui/card.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { FactList, type Fact } from '../../ui/fact-list.tsx';
import { countText } from '../../ui/numbers.ts';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { workerOf } from '../../ui/worker-text.ts';

/** The numbers of a process. What is not known is called that. */
export function Facts({ detail }: { readonly detail: ProcessDetail }) {
  const { row, counts, writer, journalLevel } = detail;
  const facts: readonly Fact[] = [
    ['Invocations', countText(row.invocations)],
    ['Open', countText(counts.open)],
    ['Queued', countText(row.queued)],
    ['Restarts', countText(row.restarts)],
    ['Entries', countText(row.entries)],
    [
      'Last entry',
      row.lastEntryAt === null ? (
        'never'
      ) : (
        <>
          {visibleLine(row.lastEntryType)}, <Ago at={row.lastEntryAt} suffix=" ago" />
        </>
      ),
    ],
    ['Worker', workerOf(row)],
    ['Writer', writer === null ? 'unknown' : `pid ${writer.pid}, epoch ${writer.epoch}`],
    ['Host', writer === null ? 'unknown' : <CutText text={writer.hostId} room={22} />],
    ['Journal level', visibleLine(journalLevel) || 'unknown'],
    ...absentOf(detail),
  ];
  return (
    <Card title="Facts">
      <FactList facts={facts} />
    </Card>
  );
}

/** What has no card because there is none; or because nobody knows [P5], where only its journal was opened. */
function absentOf({ row, mission, secrets, receivers, escalations }: ProcessDetail): readonly Fact[] {
  const facts: Fact[] = [];
  if (row.live && mission === null) facts.push(['Mission', 'none in its manifest']);
  if (secrets.length === 0) facts.push(['Secrets', row.live ? 'none in its manifest' : 'unknown']);
  if ((receivers === null || receivers.length === 0) && escalations.length === 0) {
    facts.push(['Who is told', receivers === null ? 'unknown' : 'nobody outside']);
  }
  return facts;
}
