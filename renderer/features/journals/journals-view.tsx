import { Button } from '@blueprintjs/core';
import { Cross, Database } from '@blueprintjs/icons';
import type { JournalView } from '../../../core/contract/fleet-views.ts';
import { useConsole, useFleet, useSilent } from '../../app/console-context.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { countText, sizeText } from '../../ui/numbers.ts';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { Ago } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { OpenJournalButton } from './open-journal-button.tsx';

const FORMATS: Readonly<Record<JournalView['format'], string>> = {
  holdfast: 'Holdfast',
  promptise: 'Promptise',
};

/** The directories that are open, and how far each can be trusted. */
export function JournalsView() {
  const { fleet } = useConsole();
  const phase = useFleet((state) => state.phase);
  const failure = useFleet((state) => state.failure);
  const journals = useFleet((state) => state.journals);
  return (
    <section className="hf-view" aria-label="Journals">
      <div className="hf-toolbar">
        <h1>Journals</h1>
        <div className="hf-toolbar-end">{journals.length > 0 && <OpenJournalButton primary />}</div>
      </div>
      {phase === 'loading' ? (
        <Skeleton lines={4} label="Reading the journals" />
      ) : phase === 'failed' && failure !== null ? (
        <FailedView
          title="The journals could not be listed"
          failure={failure}
          onRetry={() => void fleet.read()}
        />
      ) : journals.length === 0 ? (
        <EmptyView
          title="No journal is open"
          icon={<Database size={28} />}
          action={<OpenJournalButton primary />}
        >
          <p>Open a journal directory, or drop it or its journal.holdfast file on this window.</p>
        </EmptyView>
      ) : (
        <div className="hf-table-room" tabIndex={0} role="region" aria-label="Open journals">
          <table className="hf-table hf-journals">
            <thead>
              <tr>
                <th scope="col">Journal</th>
                <th scope="col">Access</th>
                <th scope="col">Format</th>
                <th scope="col" className="hf-number">
                  Size
                </th>
                <th scope="col" className="hf-number">
                  Bad lines
                </th>
                <th scope="col">
                  <span className="hf-hidden">Close</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {journals.map((journal) => (
                <JournalRow key={journal.id} journal={journal} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function JournalRow({ journal }: { readonly journal: JournalView }) {
  const { journals } = useConsole();
  const silent = useSilent();
  const title = visibleLine(journal.title);
  return (
    <tr>
      <th scope="row">
        <span className="hf-journal-title">{title}</span>
        <span className="hf-second">
          <CutText text={journal.directory} room={72} />
        </span>
        {journal.note !== '' && (
          <span className="hf-second">
            {visibleLine(journal.note)}
            {journal.asOf !== null && (
              <>
                {' '}
                <Ago at={journal.asOf} long suffix=" ago" />
              </>
            )}
          </span>
        )}
      </th>
      <td>
        <span className={`hf-access hf-access-${journal.access}`}>
          {journal.access === 'live' ? 'live' : 'read-only'}
        </span>
        <span className="hf-second">
          {journal.access === 'live' ? 'this host runs it' : 'only looked at'}
        </span>
      </td>
      <td>{FORMATS[journal.format]}</td>
      <td className="hf-number">{journal.sizeBytes === null ? 'unknown' : sizeText(journal.sizeBytes)}</td>
      <td className={journal.badLines > 0 ? 'hf-number hf-alarm-text' : 'hf-number hf-muted'}>
        {journal.badLines > 0 ? countText(journal.badLines) : 'none'}
      </td>
      <td className="hf-number">
        {journal.access === 'read-only' && (
          <Button
            variant="minimal"
            size="small"
            icon={<Cross />}
            disabled={silent}
            aria-label={`Close ${title}`}
            onClick={() => void journals.close(journal)}
          >
            Close
          </Button>
        )}
      </td>
    </tr>
  );
}
