// All processes of all journals that are open, and what is known of each journal.

import { z } from 'zod';
import { ManifestCountsView } from './manifest-views.ts';
import { ProcessRow } from './process-row.ts';

export const JournalView = z.strictObject({
  id: z.string(),
  title: z.string(),
  directory: z.string(),
  /** `live`: this host runs it. `read-only`: looked at. */
  access: z.enum(['live', 'read-only']),
  format: z.enum(['holdfast', 'promptise']),
  /** Who is writing it, when that is not us; or why it is read-only. */
  note: z.string(),
  /** When what is shown was read, where it can't be read any more; else null. */
  asOf: z.string().nullable(),
  /** Of the entries, as of the last change that was told. Null: it could not be asked, so unknown, never shown as 0 [P5]. */
  sizeBytes: z.number().nullable(),
  badLines: z.number().int(),
  /** Why the triggers of all its processes are held by the one switch; null where they are not, or nobody runs it here. */
  triggersHeld: z.strictObject({ reason: z.string(), actor: z.string(), at: z.string() }).nullable(),
  /** Manifests on disk that are not in force; left out where all are, or nobody runs it here. */
  manifests: ManifestCountsView.optional(),
});
export type JournalView = z.infer<typeof JournalView>;

export const FleetView = z.strictObject({
  /** Of the change stream: the next `fleet.changed` carries this plus one, or the client reads again. */
  sequence: z.number().int(),
  at: z.string(),
  journals: z.array(JournalView),
  processes: z.array(ProcessRow),
});
export type FleetView = z.infer<typeof FleetView>;
