// SQLite as a journal: one row for each entry, one transaction for each row.

import Database from 'better-sqlite3';

export type Synchronous = 'FULL' | 'NORMAL';

/** Appends that many rows of this text to a new database in WAL mode; gives the seconds that it took. */
export function sqliteAppend(path: string, synchronous: Synchronous, count: number, text: string): number {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${synchronous}`);
    db.exec('CREATE TABLE entries (seq INTEGER PRIMARY KEY, line TEXT NOT NULL)');
    const insert = db.prepare<[string]>('INSERT INTO entries (line) VALUES (?)');
    const start = performance.now();
    for (let row = 0; row < count; row += 1) insert.run(text);
    const seconds = (performance.now() - start) / 1000;
    const written = db.prepare<[], number>('SELECT count(*) FROM entries').pluck().get();
    if (written !== count) throw new Error(`SQLite has ${written} rows of ${count}.`);
    return seconds;
  } finally {
    db.close();
  }
}
