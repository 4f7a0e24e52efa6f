import { Button } from '@blueprintjs/core';
import { useCallback } from 'react';
import type { ManifestChangeView } from '../../../core/contract/manifest-views.ts';
import type { JournalView } from '../../../core/contract/fleet-views.ts';
import { useConsole, useFleet, useSilent } from '../../app/console-context.ts';
import { FLEET, hashOf } from '../../stores/place.ts';
import { Card } from '../../ui/card.tsx';
import { countText } from '../../ui/numbers.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { EmptyView, FailedView, Skeleton } from '../../ui/state-of-view.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ManifestDiff, ManifestNotes } from './manifest-diff.tsx';
import { ProblemList } from './problem-list.tsx';
import { useRead } from './use-read.ts';

const KINDS: Readonly<Record<ManifestChangeView['kind'], string>> = {
  added: 'New',
  changed: 'Changed',
  removed: 'Gone',
  faulty: "Can't be used",
};

/** What of the manifests on disk is not in force, and what putting it there would do. */
export function ManifestsView({ journalId }: { readonly journalId: string }) {
  const journal = useFleet((state) => state.journals.find(({ id }) => id === journalId));
  const phase = useFleet((state) => state.phase);
  return (
    <section className="hf-view hf-view-manifests" aria-label="Manifests">
      <nav aria-label="Where this is" className="hf-crumbs">
        <a href={hashOf(FLEET)}>Fleet</a>
        <span aria-hidden="true">›</span>
        <span>{visibleLine(journal?.title ?? journalId)}</span>
      </nav>
      <PageHeading>Manifests</PageHeading>
      {journal?.access === 'live' ? (
        <Changes journal={journal} />
      ) : phase === 'ready' ? (
        <EmptyView title="Nobody runs this here" action={<a href={hashOf(FLEET)}>Back to the fleet</a>}>
          <p>Manifests are read and changed by the host that runs their workspace.</p>
        </EmptyView>
      ) : (
        <Skeleton lines={6} label="Reading the manifests" />
      )}
    </section>
  );
}

function Changes({ journal }: { readonly journal: JournalView }) {
  const { client, actions } = useConsole();
  const silent = useSilent();
  const { id: journalId } = journal;
  const ask = useCallback(() => client.request('workspace.changes', { journalId }), [client, journalId]);
  const { found: read, again } = useRead(ask, journal.manifests?.stamp ?? '');
  if (read === null) return <Skeleton lines={6} label="Reading the manifests" />;
  if (!read.ok) {
    return <FailedView title="The manifests could not be read" failure={read.error} onRetry={again} />;
  }
  const { changes, count } = read.value;
  const usable = changes.filter(({ kind }) => kind === 'added' || kind === 'changed');
  const newAgent = <a href={hashOf({ view: 'manifests', journalId, file: null })}>New agent…</a>;
  if (count === 0) {
    return (
      <EmptyView title="All manifests are in force" action={newAgent}>
        <p>
          What is on disk is what runs. When a manifest changes, it is shown here before it does anything.
        </p>
      </EmptyView>
    );
  }
  return (
    <>
      <div className="hf-toolbar">
        <p className="hf-muted">
          Nothing here is in force yet. When the host is started again, it runs what is on disk then.
        </p>
        <div className="hf-toolbar-end">
          {newAgent}
          {usable.length > 1 && (
            <Button
              intent="primary"
              disabled={silent}
              onClick={() => actions.ask({ kind: 'reload', journal, changes: usable })}
            >
              {`Apply ${countText(usable.length)} changes…`}
            </Button>
          )}
        </div>
      </div>
      {changes.map((change) => (
        <Change key={change.id} journal={journal} change={change} />
      ))}
      {count > changes.length && <p className="hf-muted">and {countText(count - changes.length)} more</p>}
    </>
  );
}

function Change({ journal, change }: { readonly journal: JournalView; readonly change: ManifestChangeView }) {
  const { actions } = useConsole();
  const silent = useSilent();
  const { file, process, kind, lines, lineCount, problems, notes } = change;
  const name = visibleLine(process ?? file);
  const label = kind === 'removed' ? 'Remove…' : kind === 'added' ? 'Add…' : 'Apply…';
  return (
    <Card
      title={name}
      className={`hf-manifest-change hf-manifest-${kind}`}
      aside={
        <span className="hf-buttons">
          <span className="hf-manifest-kind">{KINDS[kind]}</span>
          {kind !== 'removed' && (
            <a
              href={hashOf({ view: 'manifests', journalId: journal.id, file })}
              aria-label={`Edit ${visibleLine(file)}`}
            >
              Edit
            </a>
          )}
          {kind !== 'faulty' && (
            <Button
              size="small"
              disabled={silent}
              intent={kind === 'removed' ? 'danger' : 'primary'}
              variant="outlined"
              aria-label={`${label}: ${name}`}
              onClick={() => actions.ask({ kind: 'reload', journal, changes: [change] })}
            >
              {label}
            </Button>
          )}
        </span>
      }
    >
      <p className="hf-muted hf-mono">{visibleLine(file)}</p>
      {problems.length > 0 && <ProblemList problems={problems} />}
      {kind === 'changed' && (
        <ManifestDiff label={`What changes in ${name}`} lines={lines} lineCount={lineCount} />
      )}
      <ManifestNotes notes={notes} />
    </Card>
  );
}
