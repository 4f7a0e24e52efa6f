import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { targetOf } from '../../stores/target.ts';
import { KnownManifest } from './known-manifest.tsx';

/** What a process is made of, to be read and changed. */
export function ManifestTab({ row }: { readonly row: ProcessRow }) {
  const { journalId, process } = targetOf(row);
  return <KnownManifest key={`${journalId}/${process}`} journalId={journalId} of={{ process }} />;
}
