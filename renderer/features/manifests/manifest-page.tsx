import { useConsole, useFleet } from '../../app/console-context.ts';
import { FLEET, hashOf, processPlace, type Place } from '../../stores/place.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { KnownManifest } from './known-manifest.tsx';
import { NewManifest } from './new-manifest.tsx';

interface Props {
  readonly journalId: string;
  /** Null for a new one. */
  readonly file: string | null;
}

/** One manifest by its file, whether anything runs by it or not, or a new one. */
export function ManifestPage({ journalId, file }: Props) {
  const { place } = useConsole();
  const journal = useFleet((state) => state.journals.find(({ id }) => id === journalId));
  const changes: Place = { view: 'manifests', journalId };
  const title = file === null ? 'New agent' : visibleLine(file);
  return (
    <section className="hf-view hf-view-manifests" aria-label={title}>
      <nav aria-label="Where this is" className="hf-crumbs">
        <a href={hashOf(FLEET)}>Fleet</a>
        <span aria-hidden="true">›</span>
        <span>{visibleLine(journal?.title ?? journalId)}</span>
        <span aria-hidden="true">›</span>
        <a href={hashOf(changes)}>Manifests</a>
      </nav>
      <PageHeading>{title}</PageHeading>
      {file === null ? (
        <NewManifest
          journalId={journalId}
          onSaved={({ reload }) => {
            const process = reload?.done[0]?.process ?? null;
            place.go(process === null ? changes : processPlace({ journalId, process }));
          }}
        />
      ) : (
        <KnownManifest key={file} journalId={journalId} of={{ file }} onRemoved={() => place.go(changes)} />
      )}
    </section>
  );
}
