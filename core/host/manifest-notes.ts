// What applying a change of a manifest does, and what it does not: for a person, before it is done.

import { valuesOf } from '../model/settings.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { counted } from './counted.ts';
import type { PendingChange } from './manifest-changes.ts';
import type { Orphan } from './orphans.ts';

export interface NoteFacts {
  /** Of the process that runs; null where none does. */
  readonly snapshot: Readonly<ProcessSnapshot> | null;
  /** Its journal, where nothing defined it any more. */
  readonly orphan: Orphan | null;
}

export function notesOf(change: PendingChange, { snapshot, orphan }: NoteFacts): readonly string[] {
  switch (change.kind) {
    case 'faulty':
      return [
        change.process === null
          ? 'Nothing runs by this file.'
          : `${change.process} goes on as it is until the file can be used again.`,
      ];
    case 'added':
      return [...renamedNotes(change), ...addedNotes(change, orphan)];
    case 'removed':
      return [...renamedNotes(change), ...removedNotes(change, snapshot)];
    case 'changed':
      return changedNotes(change, snapshot);
  }
}

function renamedNotes({ kind, file, process, renamed }: PendingChange): readonly string[] {
  if (renamed === null) return [];
  const [before, now] = kind === 'added' ? [renamed, process] : [process, renamed];
  return [
    `${file} defined ${before} and defines ${now} now. A new name is a new process: ${before} is removed, ${now} is added, and the journal stays with ${before}.`,
  ];
}

function addedNotes({ process }: PendingChange, orphan: Orphan | null): readonly string[] {
  if (orphan === null) return [`${process} begins anew, and runs.`];
  const { seq, lifecycle } = orphan.snapshot;
  const rest = lifecycle === 'stopped' ? ', and stays stopped until somebody starts it' : '';
  return [
    `${process} goes on with the journal that is there, ${counted(seq, 'entry', 'entries')} long${rest}.`,
  ];
}

function removedNotes({ process }: PendingChange, snapshot: NoteFacts['snapshot']): readonly string[] {
  const left = [
    snapshot !== null && snapshot.queue.length > 0 ? counted(snapshot.queue.length, 'queued event') : '',
    snapshot !== null && snapshot.open.length > 0
      ? counted(snapshot.open.length, 'unfinished invocation')
      : '',
  ].filter((part) => part !== '');
  const what = left.length === 0 ? 'Nothing of it is unfinished.' : `It has ${left.join(' and ')}.`;
  return [
    `${process} is stopped, and its journal stays as it is: it is listed as orphaned until a manifest of that name takes it up again. ${what}`,
  ];
}

function changedNotes(change: PendingChange, snapshot: NoteFacts['snapshot']): readonly string[] {
  const { process, running, on, lines } = change;
  const [before, now] = [running!.definition, on!.definition!];
  const isOtherCode = before.codeHash !== now.codeHash;
  const notes: string[] = [];
  if (isOtherCode) notes.push('Its code changed.');
  if (lines.length === 0 && !isOtherCode)
    notes.push('What the manifest refers to changed: a variable, a price list or a script.');
  if (running!.file !== change.file) notes.push(`Its manifest was ${running!.file} before.`);
  if (snapshot !== null) notes.push(...workNotes(snapshot, isOtherCode), ...settingNotes(change, snapshot));
  if (lines.some(({ acts }) => acts === 'never'))
    notes.push('What a process begins with changes nothing for one that has begun.');
  if (now.config.journalLevel === 'none')
    notes.push(`${process} keeps no journal, so it begins anew with what it has in memory lost.`);
  notes.push(`${process} alone is restarted, from its journal; queue, timers and promises stay.`);
  return notes;
}

function workNotes({ open }: Readonly<ProcessSnapshot>, isOtherCode: boolean): readonly string[] {
  if (open.length === 0) return [];
  const under = counted(open.length, 'invocation');
  const acting = open.flatMap(({ effects }) => effects).filter(({ end }) => end === null).length;
  return [
    isOtherCode
      ? `${under} under way ${open.length === 1 ? 'goes' : 'go'} on in the new code, with what was recorded given back; one that asks for other effects than before stops and says so.`
      : `${under} under way ${open.length === 1 ? 'keeps' : 'keep'} the instructions and tools that ${open.length === 1 ? 'it' : 'they'} began with; limits and secrets act at once.`,
    ...(acting === 0
      ? []
      : [
          `${counted(acting, 'effect')} under way ${acting === 1 ? 'has' : 'have'} a moment to end; one that does not is in doubt, and handled by its class.`,
        ]),
  ];
}

/** What was set beside the manifest gives way where the manifest changes at the same place. */
function settingNotes({ lines }: PendingChange, { settings }: Readonly<ProcessSnapshot>): readonly string[] {
  const values = valuesOf(settings);
  const places = Object.keys(values);
  if (places.length === 0) return [];
  const isOver = (place: string): boolean =>
    lines.some(({ path }) => place === path || place.startsWith(`${path}.`));
  const gone = places.filter(isOver);
  const stay = places.filter((place) => !isOver(place));
  return [
    ...(gone.length === 0
      ? []
      : [`Set beside the manifest, and as the manifest has it then: ${gone.join(', ')}.`]),
    ...(stay.length === 0 ? [] : [`Set beside the manifest, and so it stays: ${stay.join(', ')}.`]),
  ];
}
