// The verbs for manifests that changed while their workspace runs.

import { InvalidArgumentError, Option } from 'commander';
import type { ManifestChangesView, ManifestChangeView, ReloadView } from '../contract/manifest-views.ts';
import { counted } from '../host/counted.ts';
import type { Given, HostVerb } from './host-verb.ts';

export const RELOAD_VERBS: readonly HostVerb[] = [
  {
    usage: 'changes <directory>',
    description: 'what of the manifests on disk is not in force, and what putting it there would do',
    asks: 'workspace.changes',
    says: (answer) => changesLines(answer as ManifestChangesView),
  },
  {
    usage: 'reload <directory> [processes...]',
    description:
      'put changed manifests in force: each process is restarted from its journal, and nothing else is',
    asks: 'workspace.reload',
    options: [
      new Option('--all', 'all that changed and can be used'),
      new Option('--remove', 'also what is gone: its process is stopped, and its journal stays'),
    ],
    more: reloadOf,
    says: (answer) => reloadLines(answer as ReloadView),
    fails: (answer) => failureOf(answer as ReloadView),
  },
];

function reloadOf(processes: readonly string[], { all, remove }: Given): Given {
  if ((all === true) === processes.length > 0)
    throw new InvalidArgumentError('Name the processes to load anew, or say --all');
  return {
    changes: all === true ? null : processes.map((of) => ({ of, id: null })),
    isRemoving: remove === true,
  };
}

function changesLines({ changes, count }: ManifestChangesView): readonly string[] {
  if (count === 0) return ['All manifests are in force.'];
  const more = count > changes.length ? [`and ${count - changes.length} more`] : [];
  return [...changes.flatMap(changeLines), ...more];
}

const KINDS: Readonly<Record<ManifestChangeView['kind'], string>> = {
  added: 'is new',
  changed: 'changed',
  removed: 'is gone',
  faulty: "can't be used",
};

function changeLines(change: ManifestChangeView): readonly string[] {
  const { file, process, kind, lines, lineCount, problems, notes } = change;
  const who = process === null ? file : `${process} (${file})`;
  return [
    `${who} ${KINDS[kind]}`,
    ...problems.map(({ line, path, message }) => {
      const place = [line === null ? '' : `line ${line}`, path].filter((part) => part !== '').join(', ');
      return `  ! ${place === '' ? '' : `${place}: `}${message}`;
    }),
    // What is all new or all gone is in the file.
    ...(kind === 'changed'
      ? lines.map(
          ({ path, fromText, toText }) => `  ${path}: ${fromText ?? 'not set'} → ${toText ?? 'not set'}`,
        )
      : []),
    ...(kind === 'changed' && lineCount > lines.length
      ? [`  and ${counted(lineCount - lines.length, 'place')} more`]
      : []),
    ...notes.map((note) => `  ${note}`),
  ];
}

function reloadLines({ done, message }: ReloadView): readonly string[] {
  if (done.length <= 1) return done.every(({ ok }) => ok) ? [message] : [];
  return [
    message,
    ...done.map((one) => `  ${one.ok ? '✓' : '✗'} ${one.process ?? one.file}: ${one.message}`),
  ];
}

/** What failed alone is said by the failure. */
function failureOf({ done }: ReloadView): string | null {
  const failed = done.filter(({ ok }) => !ok);
  const [first] = failed;
  if (first === undefined) return null;
  return done.length === 1
    ? first.message
    : `${failed.map(({ process, file }) => process ?? file).join(', ')} could not be put in force.`;
}
