// Changes of manifests on their way to a screen: bounded, and without secrets.

import type {
  ManifestChangeView,
  ManifestLineView,
  ManifestProblemView,
} from '../contract/manifest-views.ts';
import type { ManifestProblem } from '../manifest/manifest-problems.ts';
import type { Json } from '../model/json.ts';
import { cut, cutOrNull, showCut } from './cut.ts';
import type { PendingChange } from './manifest-changes.ts';
import type { DiffLine } from './manifest-diff.ts';
import { withoutLiterals } from './manifest-secrets.ts';
import { MAX_NAME, MAX_SENTENCE } from './view-limits.ts';

const MAX_LINES = 100;
const MAX_TEXT = 2_000;
const MAX_PROBLEMS = 50;

export function changeView(
  { id, file, process, kind, lines, problems }: PendingChange,
  notes: readonly string[],
  maxLines = MAX_LINES,
): ManifestChangeView {
  return {
    id,
    file: cut(file, MAX_NAME),
    process: cutOrNull(process, MAX_NAME),
    kind,
    ...lineViews(lines, maxLines),
    problems: problemViews(problems),
    notes: notes.map((note) => cut(note, MAX_SENTENCE)),
  };
}

export function lineViews(
  lines: readonly DiffLine[],
  maxLines = MAX_LINES,
): { lines: ManifestLineView[]; lineCount: number } {
  const shown = lines.slice(0, maxLines).map(({ keys, path, from, to, acts }) => ({
    path: cut(path, MAX_SENTENCE),
    fromText: valueText(keys, from),
    toText: valueText(keys, to),
    acts,
  }));
  return { lines: shown, lineCount: lines.length };
}

export function problemViews(problems: readonly ManifestProblem[]): ManifestProblemView[] {
  return problems.slice(0, MAX_PROBLEMS).map(({ path, line, message }) => ({
    path: cut(path, MAX_SENTENCE),
    line,
    message: cut(message, MAX_SENTENCE),
  }));
}

function valueText(keys: readonly string[], value: Json | undefined): string | null {
  if (value === undefined) return null;
  const shown = showCut(withoutLiterals(keys, value), MAX_TEXT);
  return shown.cut ? cut(`${shown.text}…`, MAX_TEXT) : shown.text;
}
