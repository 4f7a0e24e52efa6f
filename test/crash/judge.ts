// What has to hold of a journal that was opened on what a crash left. Judged from its bytes and from the ledger; nothing
// that is on trial is asked but where its own answer is compared.

import { isDeepStrictEqual } from 'node:util';
import { isFullCheckpoint } from '../../core/model/checkpoint.ts';
import { codeOf, messageOf } from '../../core/model/errors.ts';
import { foldEntries, type FoldedEntry } from '../../core/model/fold.ts';
import { numberAt, objectAt, textAt } from '../../core/model/json.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import type { Recovered } from '../../core/replay/index.ts';
import { brokenChain, journalLines, type JournalLine } from './journal-lines.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { Tree } from './operations.ts';

export interface Problem {
  readonly kind: 'acknowledged entry lost' | 'wrong state' | 'false damage report';
  readonly text: string;
}

/** What the journal writes of itself. */
const ITS_OWN = new Set([
  'writer_opened',
  'journal_repaired',
  'journal_full',
  'foreign_lines',
  'segments_dropped',
]);

/** What was promised of a process when the world ended. */
export interface Promised {
  readonly process: string;
  readonly ledger: Ledger;
  /** The ids of what was acknowledged and has to be there. */
  readonly mustHave: ReadonlySet<string>;
}

/** The bytes alone: what is there, in which order, and whether it hangs together. */
export function judgeLines(tree: Tree, { process, ledger, mustHave }: Promised): Problem[] {
  const all = journalLines(tree, process);
  // What retention dropped may still lie there in part.
  const dropped = droppedUpTo(all);
  const lines = all.filter(({ seq }) => seq > dropped);
  const problems: Problem[] = [];
  const say = (kind: Problem['kind'], text: string): void => {
    problems.push({ kind, text: `${process}: ${text}` });
  };
  for (const text of brokenChain(lines)) say('wrong state', text);

  const there = new Map<string, JournalLine>();
  for (const line of lines) {
    if (there.has(line.entryId)) say('wrong state', `${line.entryId} is there twice`);
    there.set(line.entryId, line);
    const entered = ledger.find(line.entryId);
    if (entered === undefined) {
      if (line.entry_type === 'hold_placed') {
        say('false damage report', `was held: ${textAt(line.data, 'reason')}`);
      } else if (!ITS_OWN.has(line.entry_type)) {
        say('wrong state', `${line.entry_type} ${line.entryId} was never handed over`);
      }
    } else if (!isSame(line, entered)) {
      say(
        mustHave.has(line.entryId) ? 'acknowledged entry lost' : 'wrong state',
        `${line.entryId} is changed`,
      );
    }
  }
  for (const entryId of mustHave) {
    const seq = ledger.find(entryId)?.seq ?? 0;
    const found = there.get(entryId);
    if (found === undefined && seq > dropped) say('acknowledged entry lost', `${entryId} is not there`);
    if (found !== undefined && found.seq !== seq) {
      say('acknowledged entry lost', `${entryId} was number ${seq}, and is ${found.seq}`);
    }
  }
  const [first] = lines;
  if (first !== undefined && first.seq > 1 && !isFullCheckpoint(first.data)) {
    say('wrong state', `begins at ${first.seq}, and not with a full checkpoint`);
  }
  problems.push(...judgeOrder(lines, there, ledger.entriesOf(process), process, dropped > 0));
  if (dropped > 0 && lines[0] !== undefined && lines[0].seq > dropped + 1) {
    say('acknowledged entry lost', `begins at ${lines[0].seq}, and only up to ${dropped} was dropped`);
  }
  problems.push(...judgeQuarantine(tree, lines, process), ...judgeSpills(tree, lines, process));
  return problems;
}

function isSame(line: JournalLine, entered: LedgerEntry): boolean {
  return (
    line.entry_type === entered.entry_type &&
    line.timestamp === entered.timestamp &&
    textAt(line.value ?? {}, 'process_id') === entered.process &&
    JSON.stringify(line.data) === JSON.stringify(entered.data)
  );
}

/** As handed over, and nothing missing in between but what was refused. */
function judgeOrder(
  lines: readonly JournalLine[],
  there: ReadonlyMap<string, JournalLine>,
  handedOver: readonly LedgerEntry[],
  process: string,
  isCutInFront: boolean,
): Problem[] {
  const problems: Problem[] = [];
  const rank = new Map(handedOver.map(({ entryId }, at) => [entryId, at]));
  const ranks = lines.flatMap(({ entryId }) => rank.get(entryId) ?? []);
  for (const [at, next] of ranks.entries()) {
    if (at > 0 && ranks[at - 1]! > next) {
      problems.push({ kind: 'wrong state', text: `${process}: ${handedOver[next]!.entryId} comes too late` });
    }
  }
  const from = isCutInFront ? Math.min(...ranks) : 0;
  const last = Math.max(-1, ...ranks);
  for (const { entryId, answer } of handedOver.slice(from, last + 1)) {
    if (there.has(entryId) || answer === 'refused') continue;
    const text = `${process}: ${entryId} is missing, and ${handedOver[last]!.entryId}, handed over later, is there`;
    problems.push({ kind: 'wrong state', text });
  }
  return problems;
}

/** What was cut off is kept, byte for byte as long as it says. */
function judgeQuarantine(tree: Tree, lines: readonly JournalLine[], process: string): Problem[] {
  return lines.flatMap(({ entry_type, data }): Problem[] => {
    if (entry_type !== 'journal_repaired' || textAt(data, 'file') === '') return [];
    const kept = tree.get(textAt(data, 'file'));
    if (kept?.length === numberAt(data, 'bytes')) return [];
    const found = kept ? `has ${kept.length} bytes` : 'is not there';
    const text = `${process}: ${JSON.stringify(data)} names a file that ${found}`;
    return [{ kind: 'wrong state', text }];
  });
}

/** An entry never names a large value that is not there [S16]. */
function judgeSpills(tree: Tree, lines: readonly JournalLine[], process: string): Problem[] {
  return lines.flatMap(({ seq, data }): Problem[] => {
    const spilled = objectAt(objectAt(data, 'value') ?? {}, 'spilled');
    if (spilled === null) return [];
    const kept = tree.get(`.holdfast/spills/${process}/${textAt(spilled, 'id')}`);
    if (kept?.length === numberAt(spilled, 'bytes')) return [];
    return [{ kind: 'acknowledged entry lost', text: `${process}: the value that line ${seq} names` }];
  });
}

/** The last number that retention says it removed. */
function droppedUpTo(lines: readonly JournalLine[]): number {
  const said = lines.filter(({ entry_type }) => entry_type === 'segments_dropped');
  return Math.max(0, ...said.map(({ data }) => numberAt(data, 'last_seq')));
}

/** The recovered state against the fold over what was handed over and is there. */
export function judgeState(tree: Tree, { process, ledger }: Promised, recovered: Recovered): Problem[] {
  const problems: Problem[] = [];
  const expected = expectedSnapshot(journalLines(tree, process), ledger);
  if (!isDeepStrictEqual(recovered.snapshot, expected)) {
    const differing = (Object.keys(expected) as (keyof ProcessSnapshot)[]).filter(
      (key) => !isDeepStrictEqual(recovered.snapshot[key], expected[key]),
    );
    const text = differing
      .map((key) => `${key} is ${show(recovered.snapshot[key])}, and has to be ${show(expected[key])}`)
      .join('; ');
    problems.push({ kind: 'wrong state', text: `${process}: ${text}` });
  }
  for (const { seq, offset, reason } of recovered.damage) {
    const text = `${process}: line ${seq} at byte ${offset}: ${reason}`;
    problems.push({ kind: 'false damage report', text });
  }
  return problems;
}

function expectedSnapshot(lines: readonly JournalLine[], ledger: Ledger): ProcessSnapshot {
  const entries = lines.map(({ seq, entryId, timestamp, entry_type, data }): FoldedEntry => {
    const entered = ledger.find(entryId);
    return { seq, timestamp, entry_type, data: entered === undefined ? data : entered.data };
  });
  return foldEntries(entries);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What it means that opening, claiming, recovering or appending threw. */
export function refusal(process: string, doing: string, error: unknown): Problem {
  const code = codeOf(error);
  const isDamage = /damaged|lost-tail|missing|gap|foreign/.test(code);
  return {
    kind: isDamage ? 'false damage report' : 'wrong state',
    text: `${process}: ${doing} threw ${code}: ${messageOf(error)}`,
  };
}
