// `holdfast memory`: what an agent remembers. It is looked at where it lies, whether a host runs or not; what changes it goes
// to the host, as every other action does.

import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { MemoryPage, MemoryRecordView } from '../contract/memory-views.ts';
import { counted } from '../host/counted.ts';
import { lookAtJournal } from '../host/looked-at-journal.ts';
import { readMemory, searchMemory, type MemoryAt } from '../host/memory-look.ts';
import { AppError, codeOf } from '../model/errors.ts';
import type { Given, HostVerb } from './host-verb.ts';
import { ask, operate } from './operate.ts';
import { print, printJson } from './output.ts';
import { placeOf, seek } from './reach.ts';

export const MEMORY_USAGE = 'memory <directory> <process> <action> [words...]';
export const MEMORY_DESCRIPTION =
  'what an agent remembers: list, search <text>, read <id>, add <text>, edit <id> <text>, forget <id>, forget --all <collection>, or repair';

const MAX_SEARCH = 4_000;
const DEFAULT_MAX = 20;
const MOST = 200;

export function memoryOptions(): Option[] {
  return [
    new Option('-n, --max <count>', `how many are listed or found; ${DEFAULT_MAX} unless given`).argParser(
      most,
    ),
    new Option('--skip <count>', 'of list: how many of the newest are left out').argParser(whole),
    new Option('--pin', 'of add and edit: recall it before all others'),
    new Option('--all <collection>', 'of forget: everything that this agent remembers there'),
    new Option('--reason <text>', 'of add, edit, forget and repair: why; it is kept in the journal'),
  ];
}

const WRITES: Readonly<Record<string, HostVerb>> = {
  add: {
    usage: 'add',
    description: '',
    asks: 'memory.write',
    more: ([, ...words], { pin }) => ({ id: null, text: textOf('add', words), isPinned: pin === true }),
  },
  edit: {
    usage: 'edit',
    description: '',
    asks: 'memory.write',
    more: ([, id, ...words], { pin }) => ({
      id: idOf('edit', id),
      text: textOf('edit', words),
      isPinned: pin === true,
    }),
  },
  forget: {
    usage: 'forget',
    description: '',
    asks: 'memory.forget',
    more: ([, id], { all }) => {
      if ((id === undefined) === (all === undefined)) {
        throw new InvalidArgumentError('"memory forget" takes the id of one record, or --all <collection>');
      }
      return { id: id ?? null, collection: all ?? null };
    },
  },
  repair: { usage: 'repair', description: '', asks: 'memory.repair' },
};

/** `words`: the process, the action, and what is typed behind it. */
export async function memory(directory: string, words: readonly string[], given: Given): Promise<void> {
  const [process = '', action = '', ...rest] = words;
  if (Object.hasOwn(WRITES, action)) {
    return operate(WRITES[action]!, { directory, words: [process, ...rest], given });
  }
  const isJson = given['json'] === true;
  switch (action) {
    case 'list':
    case 'search': {
      const text = action === 'list' ? '' : textOf('search', rest);
      if (text.length > MAX_SEARCH)
        throw new InvalidArgumentError(`A search has at most ${MAX_SEARCH} characters`);
      const max = (given['max'] as number | undefined) ?? DEFAULT_MAX;
      const asked = { text, max, skip: (given['skip'] as number | undefined) ?? 0 };
      const page = await looked(directory, process, {
        live: (request) => request('memory.search', asked) as Promise<MemoryPage>,
        asRecorded: (at) => searchMemory(at, asked),
      });
      if (isJson) printJson(page);
      else for (const line of pageLines(page, text)) print(line);
      return;
    }
    case 'read': {
      const id = idOf('read', rest[0]);
      const record = await looked(directory, process, {
        live: (request) => request('memory.read', { id }) as Promise<MemoryRecordView>,
        asRecorded: (at) => readMemory(at, id),
      });
      if (isJson) printJson(record);
      else {
        print(headOf(record));
        for (const line of record.text.split('\n')) print(line);
      }
      return;
    }
    default:
      throw new InvalidArgumentError(
        `"memory" has no action ${JSON.stringify(action)}. There are list, search, read, add, edit, forget and repair`,
      );
  }
}

interface Looks<T> {
  /** Where a host runs it: what it has in force. */
  readonly live: (
    request: (name: 'memory.search' | 'memory.read', fields: Given) => Promise<unknown>,
  ) => Promise<T>;
  /** Where none does: by the plan that its journal has last. */
  readonly asRecorded: (at: MemoryAt) => Promise<T>;
}

async function looked<T>(directory: string, process: string, { live, asRecorded }: Looks<T>): Promise<T> {
  const sought = await seek(placeOf(directory));
  if (sought.kind === 'reached') {
    const { host } = sought;
    try {
      return await live((name, fields) => ask(host, name, { process, ...fields }));
    } finally {
      host.connection.close(new AppError('host.closing', 'This command is done.'));
    }
  }
  const source = await lookAtJournal(directory, () => {});
  try {
    return await asRecorded(source.memoryOf(process));
  } finally {
    await source.close();
  }
}

function pageLines(
  { records, count, collection, userId, provider, readsAlso }: MemoryPage,
  text: string,
): string[] {
  const passing = provider === 'in_memory' ? ', forgotten when its host ends' : '';
  const also = readsAlso.length === 0 ? '' : `, and reads what ${readsAlso.join(' and ')} has there`;
  const head = `${collection} of ${userId}${passing}${also}: ${counted(count, 'record')}`;
  if (records.length === 0)
    return [head, text === '' ? 'Nothing is remembered yet.' : 'Nothing of that is remembered.'];
  const rest = text === '' && records.length < count ? [`These are ${records.length} of ${count}.`] : [];
  return [
    head,
    ...records.flatMap((record) => [headOf(record), `  ${record.text}${record.cut ? ' … (cut)' : ''}`]),
    ...rest,
  ];
}

const BY: Readonly<Record<MemoryRecordView['by'], string>> = {
  turn: 'from a turn',
  tool: 'by its own wish',
  operator: 'by an operator',
};

function headOf({
  id,
  score,
  createdAt,
  updatedAt,
  by,
  process,
  eventId,
  isPinned,
  isOwn,
  userId,
}: MemoryRecordView): string {
  return [
    id,
    ...(score === null ? [] : [`score ${score.toFixed(2)}`]),
    createdAt,
    ...(updatedAt === null ? [] : [`changed ${updatedAt}`]),
    `${BY[by]} of ${process}${eventId === null ? '' : `, event ${eventId}`}`,
    ...(isPinned ? ['pinned'] : []),
    ...(isOwn ? [] : [`of ${userId}, only read`]),
  ].join(' · ');
}

/** Typed, or with - in its place by standard input. */
function textOf(action: string, words: readonly string[]): string {
  const typed = words.join(' ');
  const text = typed === '-' ? standardInput() : typed;
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError(`"memory ${action}" needs a text, or - to read it from standard input`);
}

function idOf(action: string, id: string | undefined): string {
  if (id !== undefined) return id;
  throw new InvalidArgumentError(`"memory ${action}" needs the id of a record, which list and search give`);
}

function standardInput(): string {
  try {
    return readFileSync(0, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`Standard input can't be read (${codeOf(error)})`);
  }
}

function most(text: string): number {
  const value = whole(text);
  if (value >= 1 && value <= MOST) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST}.`);
}

function whole(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 1_000_000) return value;
  throw new InvalidArgumentError('It must be a whole number from 0 to 1000000.');
}
