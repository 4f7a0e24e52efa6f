import { hash } from 'node:crypto';
import { AppError } from '../model/errors.ts';
import type { NewEntry, StoredEntry } from '../model/entry.ts';
import type { JsonObject } from '../model/json.ts';
import type {
  CheckpointRecord,
  Cursor,
  EntryPage,
  EntryPart,
  JournalProvider,
  ReadOptions,
  SpillReference,
} from '../model/ports.ts';
import { parseTimestamp } from '../model/time.ts';
import { isFullCheckpoint, stateOf } from '../model/checkpoint.ts';
import { decodeLine, encodeLine, FIRST_PREV, hashLine } from './codec.ts';
import { completeEntry, type EntrySources, sinceOf, SYSTEM_SOURCES } from './complete-entry.ts';

interface StoredLine {
  readonly line: Buffer;
  readonly entry: StoredEntry;
}

/** A journal for tests and experiments: the file journal's behaviour, and nothing left when the program ends. */
export class InMemoryJournal implements JournalProvider {
  readonly #lines = new Map<string, StoredLine[]>();
  readonly #spills = new Map<string, Uint8Array>();
  readonly #sources: EntrySources;
  #closed = false;

  constructor(sources: EntrySources = SYSTEM_SOURCES) {
    this.#sources = sources;
  }

  async append(entry: NewEntry): Promise<StoredEntry> {
    if (this.#closed)
      throw new AppError('journal.closed', 'The journal is closed: nothing can be appended any more.');
    const lines = this.#of(entry.process_id);
    const last = lines.at(-1);
    const seq = lines.length + 1;
    const prev = last === undefined ? FIRST_PREV : hashLine(last.line);
    const line = encodeLine(completeEntry(entry, this.#sources), { seq, ack: seq - 1, prev });
    // Read back from the line, so that nobody shares an object with the journal.
    const decoded = decodeLine(line, prev);
    if (!decoded.ok)
      throw new AppError('journal.not-json', `The entry can't be read back: ${decoded.reason}.`);
    const offset = last === undefined ? 0 : last.entry.offset + last.entry.sizeBytes;
    const stored: StoredEntry = {
      ...decoded.entry,
      seq,
      verification: decoded.verification,
      offset,
      sizeBytes: line.length + 1,
    };
    lines.push({ line, entry: stored });
    this.#lines.set(entry.process_id, lines);
    return stored;
  }

  async claim(): Promise<void> {
    // Nobody else can reach it, and nothing of it can be torn.
  }

  async read(processId: string, options: ReadOptions = {}): Promise<readonly StoredEntry[]> {
    const since = sinceOf(options.since);
    return this.#of(processId)
      .map(({ entry }) => entry)
      .filter((entry) => options.entryType === undefined || entry.entry_type === options.entryType)
      .filter((entry) => since === null || (parseTimestamp(entry.timestamp) ?? 0) >= since)
      .slice(0, options.limit);
  }

  async readLast(processId: string, limit: number, before?: Cursor): Promise<EntryPage> {
    const lines = this.#of(processId);
    const end = before === undefined ? lines.length : Math.min(lines.length, Number(before.slice(1)));
    const start = Math.max(0, end - limit);
    return {
      entries: lines.slice(start, end).map(({ entry }) => entry),
      badLines: [],
      before: start === 0 ? null : (`m${start}` as Cursor),
    };
  }

  async *readSinceCheckpoint(processId: string): AsyncGenerator<EntryPart> {
    const entries = this.#of(processId).map(({ entry }) => entry);
    const start = entries.findLastIndex(
      ({ entry_type, data }) => entry_type === 'checkpoint' && isFullCheckpoint(data),
    );
    yield { items: entries.slice(Math.max(0, start)), next: `m${entries.length}` as Cursor };
  }

  async processes(): Promise<readonly string[]> {
    return [...this.#lines.keys()].sort();
  }

  checkpoint(
    processId: string,
    state: JsonObject,
    line: Pick<NewEntry, 'entry_id' | 'timestamp'> = {},
  ): Promise<StoredEntry> {
    return this.append({ ...line, process_id: processId, entry_type: 'checkpoint', data: { state } });
  }

  async lastCheckpoint(processId: string): Promise<CheckpointRecord | null> {
    const entry = this.#of(processId).findLast((line) => line.entry.entry_type === 'checkpoint')?.entry;
    return entry === undefined ? null : { state: stateOf(entry.data), seq: entry.seq };
  }

  async spill(_processId: string, bytes: Uint8Array): Promise<SpillReference> {
    const reference = { id: crypto.randomUUID(), sha256: hash('sha256', bytes, 'hex'), bytes: bytes.length };
    this.#spills.set(reference.id, Buffer.from(bytes));
    return reference;
  }

  async unspill(_processId: string, { id }: SpillReference): Promise<void> {
    this.#spills.delete(id);
  }

  async spilled(_processId: string, { id }: SpillReference): Promise<Uint8Array | null> {
    return this.#spills.get(id) ?? null;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #of(processId: string): StoredLine[] {
    return this.#lines.get(processId) ?? [];
  }
}
