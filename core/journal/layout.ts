// J10  Files are created 0600, directories 0700.

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;

/** Marks a directory as a journal of ours; double-clicking it opens the directory. */
export const MARKER_FILE = 'journal.holdfast';
/** Lock, holder, heads, sealed segments, spilled values and quarantined bytes. */
export const STATE_DIRECTORY = '.holdfast';
/** Where a workspace keeps its journal unless it says otherwise, and where Promptise keeps its own. */
export const WORKSPACE_JOURNAL = '.holdfast-journal';
export const PROMPTISE_JOURNAL = '.promptise/journal';

/** Of the format that this code writes; a higher one is only read [S4]. */
export const FORMAT_VERSION = 1;
