export type { Durability, Retention } from '../model/ports.ts';
export { FileJournal, openFileJournal, readFileJournal, type WriteOptions } from './file-journal.ts';
export { InMemoryJournal } from './memory-journal.ts';
