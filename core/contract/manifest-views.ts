// Manifests as the console shows and edits them, and what of them is not in force yet.

import { z } from 'zod';
import { MANIFEST_FILE } from './names.ts';

/** Of a manifest's text, in characters. */
export const MAX_MANIFEST = 1_000_000;

export const ManifestFile = z
  .string()
  .regex(MANIFEST_FILE, 'a manifest is a file of the workspace that ends in .agent');

export const ManifestProblemView = z.strictObject({
  /** The keys that lead to it, joined by dots; empty for all of it. */
  path: z.string(),
  line: z.number().int().nullable(),
  message: z.string(),
});
export type ManifestProblemView = z.infer<typeof ManifestProblemView>;

/** One place of a manifest that is otherwise. Values are JSON; null where there is none. */
export const ManifestLineView = z.strictObject({
  path: z.string(),
  fromText: z.string().nullable(),
  toText: z.string().nullable(),
  /** Once it is applied: for what is under way too, for what begins from then on [S25], or only for who begins anew. */
  acts: z.enum(['at_once', 'next_invocation', 'never']),
});
export type ManifestLineView = z.infer<typeof ManifestLineView>;

const Lines = { lines: z.array(ManifestLineView), lineCount: z.number().int() };

export const CHANGE_KINDS = ['added', 'changed', 'removed', 'faulty'] as const;

/** A manifest that is not as what runs. */
export const ManifestChangeView = z.strictObject({
  /** Of exactly this change: what is on disk now, against what runs now. */
  id: z.string(),
  file: z.string(),
  /** Null where nobody knows: it can't be read. */
  process: z.string().nullable(),
  kind: z.enum(CHANGE_KINDS),
  /** The first of `lineCount`. */
  ...Lines,
  problems: z.array(ManifestProblemView),
  /** What applying it does, and what it does not, a sentence each. */
  notes: z.array(z.string()),
});
export type ManifestChangeView = z.infer<typeof ManifestChangeView>;

export const ManifestChangesView = z.strictObject({
  /** The first of `count`. */
  changes: z.array(ManifestChangeView),
  count: z.number().int(),
});
export type ManifestChangesView = z.infer<typeof ManifestChangesView>;

/** How many there are, for who only has to know that. */
export const ManifestCountsView = z.strictObject({
  /** Another whenever the changes are others. */
  stamp: z.string(),
  /** That can be applied. */
  pending: z.number().int(),
  faulty: z.number().int(),
});
export type ManifestCountsView = z.infer<typeof ManifestCountsView>;

export const ReloadView = z.strictObject({
  done: z.array(
    z.strictObject({
      file: z.string(),
      process: z.string().nullable(),
      kind: z.enum(CHANGE_KINDS),
      ok: z.boolean(),
      message: z.string(),
    }),
  ),
  message: z.string(),
});
export type ReloadView = z.infer<typeof ReloadView>;

export const ManifestTextView = z.strictObject({
  file: z.string(),
  /** What it defines, as far as that is known. */
  process: z.string().nullable(),
  text: z.string(),
  /** SHA-256 of the file, in hex: what {@link ManifestWrittenView} is asked for with. */
  hash: z.string(),
  /** Whether what runs is what stands in it. */
  isInForce: z.boolean(),
});
export type ManifestTextView = z.infer<typeof ManifestTextView>;

export const ManifestPlanView = z.strictObject({
  /** The process that it defines; null where that can't be told. */
  process: z.string().nullable(),
  /** Of the file as it is on disk; null where there is none. */
  hash: z.string().nullable(),
  problems: z.array(ManifestProblemView),
  /** What is worth knowing of one that nothing is wrong with. */
  remarks: z.array(ManifestProblemView),
  /** Against what is on disk. */
  ...Lines,
  /** Against what runs, if it were saved and applied; null where nothing is. */
  change: ManifestChangeView.nullable(),
});
export type ManifestPlanView = z.infer<typeof ManifestPlanView>;

export const ManifestWrittenView = z.strictObject({
  file: z.string(),
  /** Null: it is gone. */
  hash: z.string().nullable(),
  message: z.string(),
  /** What came of applying it; null where that was not asked for, or there was nothing to apply. */
  reload: ReloadView.nullable(),
});
export type ManifestWrittenView = z.infer<typeof ManifestWrittenView>;

export const ManifestSchemaView = z.strictObject({
  /** JSON Schema, as JSON. */
  schemaText: z.string(),
  templates: z.array(z.strictObject({ name: z.string(), title: z.string(), text: z.string() })),
});
export type ManifestSchemaView = z.infer<typeof ManifestSchemaView>;
