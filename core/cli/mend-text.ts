// What the verbs that check, repair and adopt say to a person.

import { counted } from '../host/counted.ts';
import type { AdoptReport, SkippedLines } from '../journal/adopt-journal.ts';
import { lostMarkerAdvice } from '../journal/copy-target.ts';
import type { Gap, RepairedProcess, RepairReport } from '../journal/repair-journal.ts';
import type { Place, ProcessReport, VerifyReport } from '../journal/verify-journal.ts';
import { columns, safeText } from './safe-text.ts';

/** More places on a screen help nobody; `--json` has a thousand. */
const SHOWN_PLACES = 20;

export function verifyLines({ directory, format, hasLostMarker, totals, processes }: VerifyReport): string[] {
  const { lines, segments } = totals;
  const counts = `${counted(totals.processes, 'process', 'processes')}, ${counted(lines, 'line')} in ${counted(segments, 'segment')}`;
  const heads = columns(processes.map((report) => [safeText(report.process), verdict(report)]));
  return [
    `${directory} · ${format} · ${counts}`,
    ...(hasLostMarker
      ? [`${lostMarkerAdvice(directory)}. Until then nothing tells whether its end is there`]
      : []),
    ...processes.flatMap((report, at) => [heads[at]!, ...damageLines(report)]),
  ];
}

function verdict({ lines, lastSeq, damageCount, notes, noteCount }: ProcessReport): string {
  const length = lastSeq === 0 ? 'empty' : `${counted(lines, 'line')}, up to entry ${lastSeq}`;
  const parts = [
    damageCount === 0 ? 'whole' : `damaged in ${counted(damageCount, 'place')}`,
    length,
    ...(noteCount === 1 ? notes.map(({ reason }) => reason) : []),
    ...(noteCount > 1 ? [`${noteCount} notes in --json`] : []),
  ];
  return parts.join(' · ');
}

function damageLines({ damage, damageCount }: ProcessReport): string[] {
  const shown = damage.slice(0, SHOWN_PLACES);
  const more = damageCount - shown.length;
  return [
    ...shown.map((found) => `  ${placeText(found)}: ${found.reason} (${found.kind})`),
    ...(more === 0
      ? []
      : [`  and ${counted(more, 'more place', 'more places')}; --json has the first 1,000`]),
  ];
}

function placeText({ segment, seq, offset, sizeBytes }: Place): string {
  return `${segment}, line ${seq} at byte ${offset}, ${counted(sizeBytes, 'byte')}`;
}

export function repairLines({ directory, copy, repaired, unchanged, gone }: RepairReport): string[] {
  if (copy === null)
    return [`Nothing to repair: nothing in ${directory} is damaged. No copy was made, and none is needed.`];
  const held = repaired.filter((process) => process.held).map(({ process }) => process);
  return [
    `Repaired into ${copy}. ${directory} is as it was.`,
    ...repaired.flatMap(repairedLines),
    ...(unchanged.length === 0 ? [] : [`copied as it is: ${unchanged.join(', ')}`]),
    ...gone.map(
      (name) =>
        `${name}: nothing is left of it. In the copy it begins from nothing and nothing holds it: find out first what it did, or that may be done again`,
    ),
    `Next: move ${directory} away and the copy to its place, then run it.`,
    ...(held.length === 0
      ? []
      : [
          `Held until somebody resumes: ${held.join(', ')}. Find out first what the missing entries may have told of; nothing unfinished is done again without asking.`,
        ]),
  ];
}

function repairedLines({ process, keptLines, gaps, lostSpills, held }: RepairedProcess): string[] {
  const shown = gaps.slice(0, SHOWN_PLACES);
  const parts = [
    counted(keptLines, 'line kept', 'lines kept'),
    counted(gaps.length, 'gap'),
    held ? 'held' : 'not held',
  ];
  return [
    `${process}: ${parts.join(', ')}`,
    ...shown.map((gap) => `  ${gapText(gap)}`),
    ...(gaps.length > shown.length
      ? [`  and ${counted(gaps.length - shown.length, 'more gap')}; --json has them`]
      : []),
    ...(lostSpills.length === 0
      ? []
      : [`  ${counted(lostSpills.length, 'large value')} lost: the outcome is known, the value is not`]),
  ];
}

function gapText({ after, next, segment, offset, bytes, file, reason, isLoss }: Gap): string {
  const where =
    next === null
      ? `after entry ${after}`
      : after === 0
        ? `before entry ${next}`
        : `between ${after} and ${next}`;
  const missing = isLoss ? 'entries are missing' : 'no entry is missing';
  const kept =
    bytes === 0
      ? segment
      : `${counted(bytes, 'byte')} at byte ${offset} of ${segment} left out, kept in ${file ?? 'quarantine'}`;
  return `${where}: ${missing} · ${kept} (${reason})`;
}

export function adoptLines({ directory, copy, adopted, leftOut }: AdoptReport): string[] {
  return [
    `Adopted into ${copy}. ${directory} is as it was.`,
    ...adopted.flatMap(({ process, lines, skipped }) => [
      `${process}: ${counted(lines, 'line')}${skipped.length === 0 ? '' : `, ${counted(skipped.length, 'place')} left out`}`,
      ...skippedLines(skipped),
    ]),
    ...leftOut.flatMap(({ file, skipped }) => [
      `${file}: left out, since no line of it can be read`,
      ...skippedLines(skipped),
    ]),
    'Next: end the Promptise runtime that wrote the original before you run the copy, or both do the work.',
  ];
}

function skippedLines(skipped: readonly SkippedLines[]): string[] {
  const more = skipped.length - SHOWN_PLACES;
  return [
    ...skipped.slice(0, SHOWN_PLACES).map((place) => `  ${skippedText(place)}`),
    ...(more > 0 ? [`  and ${counted(more, 'more place', 'more places')}; --json has them`] : []),
  ];
}

function skippedText({ line, lines, segment, offset, bytes, file, reason }: SkippedLines): string {
  const which = lines === 1 ? `line ${line}` : `lines ${line} to ${line + lines - 1}`;
  return `${which} of ${segment}: ${counted(bytes, 'byte')} at byte ${offset} (${reason}), kept in ${file}`;
}
