// Whether an agent's code still does what its journal says it did: invocations that have ended are run again, each with
// the record that it had just before its end, and what they do is compared with that.
//
// P3   The record is what the one fold gives, so the comparison is the one that a re-run after a crash would make.
// P6   The journal is only read; no effect is performed, nothing is announced, nobody is told.
//
// The journal is read twice, forwards: once to find where the newest ends are, and from the last full checkpoint before
// the first of them to fold up to each. One record is in memory at a time.

import { END_OF_INVOCATION } from '../agent/check-message.ts';
import type { FileJournal } from '../journal/file-journal.ts';
import { isFullCheckpoint } from '../model/checkpoint.ts';
import { damageOf } from '../model/damage.ts';
import { isBad, type StoredEntry } from '../model/entry.ts';
import { applyEntry } from '../model/fold.ts';
import { textAt, type Json } from '../model/json.ts';
import type { Cursor, SpillReference, WorkerHost } from '../model/ports.ts';
import type { ProcessConfig } from '../model/process-config.ts';
import { emptySnapshot, openOf, type OpenInvocation, type ProcessSnapshot } from '../model/snapshot.ts';
import { fetchPayload, fetchSpilled, recordOf } from '../runtime/invocation-record.ts';
import { CheckWorker, type Found, type Invocation } from './check-worker.ts';

/** Of one invocation, which waits for nothing but its own code. */
const PATIENCE_MS = 15_000;
/** Ends that the host made, and not the code: it need only come as far as its record. */
const MADE_BY_HOST: ReadonlySet<string> = new Set(['invocation.too-slow', 'invocation.too-long']);

export type RecordedEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly code: string }
  /** It has none: it is under way, or the host ended it. */
  | { readonly kind: 'open' };

export type Verdict =
  | { readonly verdict: 'ok' }
  | { readonly verdict: 'diverged' | 'other-end'; readonly expected: string; readonly found: string }
  /** The journal has not all that is needed for it. */
  | { readonly verdict: 'unchecked'; readonly why: string };

export type CheckedInvocation = {
  /** The entry that ended it; of one under way, the last that was read. */
  readonly seq: number;
  readonly eventId: string;
  readonly invocation: number;
  readonly attempt: number;
  readonly recorded: RecordedEnd['kind'];
} & Verdict;

export interface ReplayCheckOptions {
  readonly journal: FileJournal;
  readonly process: string;
  /** Absolute path of the agent module. */
  readonly entrypoint: string;
  /** In which paths of a plan lie; there is none where only a module was named. */
  readonly workspace?: string;
  readonly config: ProcessConfig;
  readonly workerHost: WorkerHost;
  /** How many of the invocations that have ended, the newest ones. Those under way are checked too. */
  readonly last: number;
  readonly onChecked?: (checked: CheckedInvocation) => void;
  readonly patienceMs?: number;
}

export interface ReplayCheckReport {
  readonly process: string;
  readonly entrypoint: string;
  readonly journal: string;
  /** Invocations that have ended, in the whole of the journal that is kept. */
  readonly ended: number;
  readonly counts: Readonly<Record<Verdict['verdict'], number>>;
  /** Lines that could not be read or did not fit, where records were built: what they told of is missing there. */
  readonly badLines: number;
  /** In the order of their ends. */
  readonly checked: readonly CheckedInvocation[];
}

/** @throws `worker.*` when the module can't be loaded, and what reading the journal throws */
export async function checkReplay(options: ReplayCheckOptions): Promise<ReplayCheckReport> {
  const { journal, process, entrypoint, config, workerHost, patienceMs = PATIENCE_MS } = options;
  const spec = { process, entrypoint, generation: 0, limits: config.workerLimits };
  const worker = new CheckWorker({ workerHost, spec, patienceMs });
  const { ended, place, firstSeq } = await findEnds(options);
  const checked: CheckedInvocation[] = [];
  const keep = (one: CheckedInvocation): void => {
    checked.push(one);
    options.onChecked?.(one);
  };
  let snapshot: ProcessSnapshot = emptySnapshot();
  let badLines = 0;
  try {
    for await (const { items } of journal.readFrom(process, place)) {
      for (const item of items) {
        if (damageOf(item) !== null) badLines += 1;
        if (isBad(item)) continue;
        const end = item.seq >= firstSeq ? endIn(item) : null;
        if (end !== null) keep(await checkEnded(worker, options, { snapshot, entry: item, end }));
        snapshot = applyEntry(snapshot, item);
      }
    }
    for (const open of snapshot.open) {
      keep(await checkOne(worker, options, { snapshot, open, end: { kind: 'open' }, seq: snapshot.seq }));
    }
  } finally {
    await worker.end();
  }
  const count = (verdict: Verdict['verdict']): number =>
    checked.filter((one) => one.verdict === verdict).length;
  const counts = {
    ok: count('ok'),
    diverged: count('diverged'),
    'other-end': count('other-end'),
    unchecked: count('unchecked'),
  };
  return { process, entrypoint, journal: journal.directory, ended, counts, badLines, checked };
}

/** Where the ends to be checked begin, and from where the state before them can be folded. */
async function findEnds({
  journal,
  process,
  last,
}: Pick<ReplayCheckOptions, 'journal' | 'process' | 'last'>): Promise<{
  readonly ended: number;
  readonly place: Cursor | null;
  readonly firstSeq: number;
}> {
  const newest: { readonly seq: number; readonly place: Cursor | null }[] = [];
  let ended = 0;
  let partBegins: Cursor | null = null;
  let lastSeq = 0;
  /** Of the part that the last full checkpoint is in. */
  let place: Cursor | null = null;
  for await (const { items, next } of journal.readFrom(process, null)) {
    for (const item of items) {
      lastSeq = item.seq;
      if (isBad(item)) continue;
      if (item.entry_type === 'checkpoint' && isFullCheckpoint(item.data)) place = partBegins;
      if (endIn(item) === null) continue;
      ended += 1;
      newest.push({ seq: item.seq, place });
      if (newest.length > last) newest.shift();
    }
    partBegins = next;
  }
  return {
    ended,
    place: newest[0]?.place ?? place,
    firstSeq: newest[0]?.seq ?? lastSeq + 1,
  };
}

/** How an invocation ended with this entry; null where none did. */
function endIn({ entry_type, data }: StoredEntry): RecordedEnd | null {
  if (textAt(data, 'event_id') === '') return null;
  if (entry_type === 'invocation_result') return { kind: 'done' };
  if (entry_type !== 'error' || data['final'] === false) return null;
  const code = textAt(data, 'error_type');
  return MADE_BY_HOST.has(code) ? { kind: 'open' } : { kind: 'failed', code };
}

interface Ending {
  readonly snapshot: ProcessSnapshot;
  readonly open: OpenInvocation;
  readonly end: RecordedEnd;
  readonly seq: number;
}

async function checkEnded(
  worker: CheckWorker,
  options: ReplayCheckOptions,
  { snapshot, entry, end }: Pick<Ending, 'snapshot' | 'end'> & { readonly entry: StoredEntry },
): Promise<CheckedInvocation> {
  const eventId = textAt(entry.data, 'event_id');
  const { seq } = entry;
  const open = openOf(snapshot, eventId);
  if (open !== undefined) return checkOne(worker, options, { snapshot, open, end, seq });
  const why = 'the journal does not say how it began';
  return { seq, eventId, invocation: 0, attempt: 0, recorded: end.kind, verdict: 'unchecked', why };
}

async function checkOne(
  worker: CheckWorker,
  options: ReplayCheckOptions,
  { snapshot, open, end, seq }: Ending,
): Promise<CheckedInvocation> {
  const { event, invocation, attempt } = open;
  const checked = { seq, eventId: event.eventId, invocation, attempt, recorded: end.kind };
  const { journal, process } = options;
  const beside = { fetch: (reference: SpillReference) => spilledValue(journal, process, reference) };
  const whole = await fetchPayload(beside, event);
  if (whole === null) return { ...checked, verdict: 'unchecked', why: 'what the event said is lost' };
  const effects = await fetchSpilled(beside, open.effects);
  const lost = open.effects.find((_, at) => effects[at] === null);
  if (lost !== undefined) {
    const why = `the result of ${lost.name}#${lost.occurrence} is lost`;
    return { ...checked, verdict: 'unchecked', why };
  }
  // As many messages as it was shown then, whatever the manifest says today; what began before that was said goes by the last.
  const config = { ...options.config, conversationMaxMessages: snapshot.conversationMax };
  const given: Invocation = {
    event: whole,
    process,
    workspace: options.workspace ?? '',
    attempt,
    record: recordOf(
      snapshot,
      open,
      { config },
      effects.filter((effect) => effect !== null),
    ),
    keyPrefix: '',
    isDurable: true,
    writableKeys: config.writableKeys,
  };
  const found = await worker.run(given, end.kind === 'open');
  return { ...checked, ...withoutEventId(verdictOn(end, found), event.eventId) };
}

async function spilledValue(
  journal: FileJournal,
  process: string,
  reference: SpillReference,
): Promise<Json | null> {
  const bytes = await journal.spilled(process, reference);
  return bytes === null ? null : (JSON.parse(Buffer.from(bytes).toString('utf8')) as Json);
}

/** What was recorded and what was found, compared. */
export function verdictOn(end: RecordedEnd, found: Found): Verdict {
  if (found.kind === 'diverged') {
    const { expected } = found.divergence;
    if (end.kind === 'open' && expected === END_OF_INVOCATION) return { verdict: 'ok' };
    return { verdict: 'diverged', ...found.divergence };
  }
  const other = (text: string): Verdict => ({
    verdict: 'other-end',
    expected: endText(end),
    found: text,
  });
  switch (found.kind) {
    case 'no-end':
      return other(found.why);
    case 'waiting':
      return end.kind === 'open' ? { verdict: 'ok' } : other('waiting');
    case 'done':
      return end.kind === 'failed' ? other('done') : { verdict: 'ok' };
    case 'failed': {
      const isSame = end.kind === 'open' || (end.kind === 'failed' && end.code === found.code);
      return isSame ? { verdict: 'ok' } : other(`failed with ${found.code}: ${found.message}`);
    }
  }
}

function endText(end: RecordedEnd): string {
  switch (end.kind) {
    case 'done':
      return 'done';
    case 'failed':
      return `failed with ${end.code}`;
    case 'open':
      return 'what is recorded so far';
  }
}

/** It stands beside the verdict already, and in the way of reading it. */
function withoutEventId(verdict: Verdict, eventId: string): Verdict {
  if (!('expected' in verdict)) return verdict;
  const plain = (text: string): string => text.replaceAll(`${eventId}/`, '');
  return { ...verdict, expected: plain(verdict.expected), found: plain(verdict.found) };
}
