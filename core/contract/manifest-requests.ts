// The manifests of a workspace: what of them is in force, and what stands in them.

import { z } from 'zod';
import { defineRequest } from './define.ts';
import {
  ManifestChangesView,
  ManifestFile,
  ManifestPlanView,
  ManifestSchemaView,
  ManifestTextView,
  ManifestWrittenView,
  MAX_MANIFEST,
  ReloadView,
} from './manifest-views.ts';
import { Id, ProcessName, Reason, Nothing, OfWorkspace } from './request-parts.ts';

const ManifestText = z.string().max(MAX_MANIFEST);

const ManifestHash = z.string().length(64);

const WriteManifest = {
  ...OfWorkspace,
  reason: Reason.min(1),
  file: ManifestFile,
  /** Whether it is put in force at once. */
  isApplied: z.boolean(),
};

export const MANIFEST_REQUESTS = {
  /** What of the manifests on disk is not in force: looked up now, nothing is done. */
  'workspace.changes': defineRequest(
    'workspace.changes',
    z.strictObject({ journalId: Id }),
    ManifestChangesView,
  ),
  /** Puts manifests in force as they are on disk; null for all that can be. */
  'workspace.reload': defineRequest(
    'workspace.reload',
    z.strictObject({
      ...OfWorkspace,
      reason: Reason.min(1),
      /** A process or a file; `id` of the change that was seen, null for whatever there is. */
      changes: z
        .array(z.strictObject({ of: ProcessName, id: z.string().max(100).nullable() }))
        .min(1)
        .max(10_000)
        .nullable(),
      /** Processes whose manifest is gone are stopped and let go of; without it they go on as they are. */
      isRemoving: z.boolean(),
    }),
    ReloadView,
  ),
  /** Of a process, or by its file. */
  'manifests.read': defineRequest(
    'manifests.read',
    z.strictObject({
      journalId: Id,
      of: z.union([z.strictObject({ process: ProcessName }), z.strictObject({ file: ManifestFile })]),
    }),
    ManifestTextView,
  ),
  /** What is wrong with a text and what it would change. Nothing is done. */
  'manifests.plan': defineRequest(
    'manifests.plan',
    z.strictObject({ journalId: Id, file: ManifestFile, text: ManifestText }),
    ManifestPlanView,
  ),
  'manifests.write': defineRequest(
    'manifests.write',
    z.strictObject({ ...WriteManifest, text: ManifestText, expected: ManifestHash.nullable() }),
    ManifestWrittenView,
  ),
  /** Into the workspace's trash. `typed` is the name of the process, as whoever removes it knows it. */
  'manifests.remove': defineRequest(
    'manifests.remove',
    z.strictObject({ ...WriteManifest, expected: ManifestHash, typed: ProcessName }),
    ManifestWrittenView,
  ),
  /** What may stand in a manifest, and what to begin with. */
  'manifests.schema': defineRequest('manifests.schema', Nothing, ManifestSchemaView),
} as const;
