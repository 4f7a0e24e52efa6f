// What each workspace of this user has used of the cap on all of them, for hosts that run side by side: one row for each
// journal, in the user's data folder, taken in one transaction with what all others have [P4]. A row is only ever what its
// host says of itself; a host that is started anew says it anew, out of its journals.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { CapLedger } from '../governance/cap-book.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { amountsOf, plus, type Amounts } from '../model/meters.ts';

/** Another host may be in the middle of its own. */
const WAIT_MS = 2_000;

export interface LedgerHandle extends CapLedger, Disposable {
  /** Before it is asked for the first time. @throws what SQLite has against that place */
  open(): void;
}

/**
 * It is made with the first cap on all workspaces, and most users never need one. Where it fails later, as on a full disk, no
 * effect does: what the others use counts as it was last known, and `onFailure` hears of it each time.
 */
export function capLedger(
  data: string,
  journalId: string,
  onFailure: (error: AppError) => void,
): LedgerHandle {
  let opened: OpenLedger | null = null;
  let known: Amounts = {};
  const ledger = (): OpenLedger => (opened ??= openCapLedger(data, journalId));
  const failed = (cause: unknown): void =>
    onFailure(
      new AppError(
        'caps.unshared',
        `What other workspaces use of the cap on all of them can't be seen in ${join(data, 'caps.sqlite')}: ${messageOf(cause)}. It counts as it was last known, so all together may pass the cap. Mend that file's disk, or take the file away while no host runs.`,
        {},
        { cause },
      ),
    );
  return {
    open: () => void ledger(),
    others: (nowMs) => {
      try {
        known = ledger().others(nowMs);
      } catch (error) {
        failed(error);
      }
      return known;
    },
    take: (own, until, nowMs, isFine) => {
      try {
        return ledger().take(own, until, nowMs, (others) => {
          known = others;
          return isFine(others);
        });
      } catch (error) {
        failed(error);
        return isFine(known);
      }
    },
    [Symbol.dispose]: () => {
      opened?.[Symbol.dispose]();
      opened = null;
    },
  };
}

interface OpenLedger extends CapLedger, Disposable {}

function openCapLedger(data: string, journalId: string): OpenLedger {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const database = new Database(join(data, 'caps.sqlite'), { timeout: WAIT_MS });
  // It outlives any process. After a power cut a host that runs says anew what it has used; of one that does not, what it used
  // in the last moments of the day may be missing.
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS used (journal TEXT PRIMARY KEY, until INTEGER NOT NULL, amounts TEXT NOT NULL)',
  );
  const read = database
    .prepare<[string, number]>('SELECT amounts FROM used WHERE journal <> ? AND until > ?')
    .pluck();
  const write = database.prepare(
    'INSERT INTO used (journal, until, amounts) VALUES (?, ?, ?) ON CONFLICT (journal) DO UPDATE SET until = excluded.until, amounts = excluded.amounts',
  );
  const others = (nowMs: number): Amounts =>
    (read.all(journalId, nowMs) as string[]).reduce<Amounts>(
      (sum, text) => plus(sum, amountsOf(JSON.parse(text))),
      {},
    );
  const take = database.transaction(
    (own: Amounts, until: number, nowMs: number, isFine: (of: Amounts) => boolean): boolean => {
      if (!isFine(others(nowMs))) return false;
      write.run(journalId, until, JSON.stringify(own));
      return true;
    },
  );
  return {
    others,
    take: (...asked) => take.immediate(...asked),
    [Symbol.dispose]: () => void database.close(),
  };
}
