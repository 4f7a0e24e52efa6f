import { Document } from '@blueprintjs/icons';
import type { ManifestCountsView } from '../../../core/contract/manifest-views.ts';
import { useFleet } from '../../app/console-context.ts';
import { hashOf } from '../../stores/place.ts';
import { counted } from '../../ui/numbers.ts';

/** Over every view, for as long as what is on disk is not what runs. */
export function ManifestsBanner() {
  const journal = useFleet((state) =>
    state.journals.find(({ manifests }) => manifests !== undefined && countOf(manifests) > 0),
  );
  if (journal?.manifests === undefined) return null;
  return (
    <section className="hf-banner hf-banner-calm" aria-label="Manifests changed on disk">
      <Document />
      <span role="status">{bannerText(journal.manifests)}</span>
      <a href={hashOf({ view: 'manifests', journalId: journal.id })}>Review</a>
    </section>
  );
}

function countOf({ pending, faulty }: ManifestCountsView): number {
  return pending + faulty;
}

function bannerText({ pending, faulty }: ManifestCountsView): string {
  if (pending === 0) return `${counted(faulty, 'manifest')} on disk can't be used.`;
  const changed = `${counted(pending, 'manifest')} changed on disk`;
  return faulty === 0 ? `${changed}.` : `${changed}, and ${faulty} more can't be used.`;
}
