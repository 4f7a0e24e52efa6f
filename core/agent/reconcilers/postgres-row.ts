// One row of a PostgreSQL table, with the key in a unique column.

import { createHash } from 'node:crypto';
import { messageOf } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { DidNotHappen } from '../effect-errors.ts';
import {
  askAgainMs,
  beforehand,
  reconciledEffect,
  tokenOf,
  unknownYet,
  type ReconciledEffect,
  type ReconcilerOptions,
} from './reconciled-effect.ts';

/** One connection, like a `Client` of the package `pg`. Not a pool: a transaction has to stay in one. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Gives the connection back or ends it; an open transaction must not outlive it. */
  end(): Promise<void>;
}

export interface PostgresRowOptions extends ReconcilerOptions {
  /** Opens a connection to the server that is written to, for each attempt and each question. */
  readonly connect: () => Promise<PostgresClient>;
  /** With its schema before a dot, where it has one. */
  readonly table: string;
  /** A text column with a unique index of its own; `holdfast_key` unless given. */
  readonly keyColumn?: string;
  /** By column. Objects and lists are sent as JSON. */
  readonly values: Readonly<Record<string, Json>>;
}

export type PostgresRowArgs = { readonly table: string; readonly values: Readonly<Record<string, Json>> };

/**
 * Inserts a row, once. Its result is the row as PostgreSQL tells it in JSON, so a `bigint` beyond 2^53 loses digits.
 *
 * The key's token (`hf-` and 40 hexadecimal digits of its SHA-256) is in `keyColumn`, and whoever inserts it holds an advisory
 * lock of that key until its transaction is over. So nothing depends on time: while the lock is held, by a transaction that the
 * server has not ended although its client is gone, it is *unknown yet*; with the lock in our hands the row is there, or it did
 * not happen. A server in recovery (a replica) is not believed. A row that somebody deletes is taken for one that was never
 * there, and so is one that the server lost because `synchronous_commit` is off.
 */
export function postgresRow(options: PostgresRowOptions): ReconciledEffect<JsonObject, PostgresRowArgs> {
  const { connect, table, keyColumn = 'holdfast_key', values } = options;
  const into = table.split('.').map(quoted).join('.');
  const key = quoted(keyColumn);
  const columns = Object.keys(values);
  const insert = `INSERT INTO ${into} AS t (${[keyColumn, ...columns].map(quoted).join(', ')}) VALUES (${[keyColumn, ...columns].map((_, at) => `$${at + 1}`).join(', ')}) ON CONFLICT (${key}) DO NOTHING RETURNING to_jsonb(t.*)::text AS row`;
  const select = `SELECT to_jsonb(t.*)::text AS row FROM ${into} AS t WHERE ${key} = $1`;
  return reconciledEffect<JsonObject, PostgresRowArgs>(options, {
    args: { table, values },
    perform: async (call) => {
      const token = tokenOf(call.key);
      const client = await beforehand(connect);
      try {
        const row = await beforeCommit(async () => {
          await begin(client);
          if (!(await isLocked(client, token))) throw new Error('another transaction has this key');
          const given = columns.map((column) => sent(call.args.values[column] ?? null));
          const inserted = rowOf(await client.query(insert, [token, ...given]));
          return inserted ?? rowOf(await client.query(select, [token]));
        });
        if (row === null) throw new DidNotHappen(`${table} took no row, and has none with this key`);
        call.signal.throwIfAborted();
        await client.query('COMMIT');
        return row;
      } finally {
        await client.end();
      }
    },
    reconcile: async (call) => {
      const token = tokenOf(call.key);
      const client = await connect();
      try {
        await begin(client);
        const [state] = (await client.query('SELECT pg_is_in_recovery() AS is_replica')).rows;
        if (isObject(state) && state['is_replica'] === true) {
          return { happened: 'unknown', why: 'the server is a replica, which may be behind' };
        }
        if (!(await isLocked(client, token))) {
          return unknownYet('its transaction is still open on the server', askAgainMs(call));
        }
        const row = rowOf(await client.query(select, [token]));
        await client.query('ROLLBACK');
        return row === null ? { happened: false } : { happened: true, result: row };
      } finally {
        await client.end();
      }
    },
  });
}

/** Without a COMMIT nothing of a transaction stays. */
async function beforeCommit<R>(act: () => Promise<R>): Promise<R> {
  try {
    return await act();
  } catch (error) {
    throw new DidNotHappen(messageOf(error), { retryable: !isRefusal(error), cause: error });
  }
}

/** What the server says about the data or the statement will be the same next time: SQLSTATE 22, 23, 42 and the like. */
function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^(?:22|23|42|44)[0-9A-Z]{3}$/.test(code);
}

async function begin(client: PostgresClient): Promise<void> {
  // A statement sees what was committed before it began: also before the lock was got.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
}

async function isLocked(client: PostgresClient, token: string): Promise<boolean> {
  const number = createHash('sha256').update(token).digest().readBigInt64BE();
  const asked = await client.query('SELECT pg_try_advisory_xact_lock($1::bigint) AS is_locked', [
    number.toString(),
  ]);
  const [row] = asked.rows;
  return isObject(row) && row['is_locked'] === true;
}

function rowOf({ rows: [row] }: { readonly rows: readonly unknown[] }): JsonObject | null {
  if (!isObject(row) || typeof row['row'] !== 'string') return null;
  const read: unknown = JSON.parse(row['row']);
  return isObject(read) ? read : null;
}

function sent(value: Json): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
