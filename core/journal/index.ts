export type { Durability } from './append-file.ts';
export type { Retention } from './retention.ts';
export { FileJournal, openFileJournal, readFileJournal, type WriteOptions } from './file-journal.ts';
export { InMemoryJournal } from './memory-journal.ts';
