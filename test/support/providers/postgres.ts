// A PostgreSQL of its own for the tests, where its programs are installed.

import { Client } from 'pg';
import type { PostgresClient } from '../../../core/agent/reconcilers/postgres-row.ts';
import { findPrograms, startPostgres, type Postgres } from '../../bench/peers/postgres.ts';

/** Why tests with PostgreSQL are skipped, and what helps; null where they are not. */
export const NO_POSTGRES =
  findPrograms() === null ? 'PostgreSQL is not installed: apt-get install postgresql' : null;

export interface TestPostgres extends AsyncDisposable {
  readonly url: string;
  connect(): Promise<PostgresClient>;
}

/** With a table `rows` of a name and a number, and the column of keys. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const server: Postgres = await startPostgres();
  const url = server.url('postgres');
  const connect = (): Promise<PostgresClient> => connectTo(url);
  const client = await connect();
  await client.query(
    'CREATE TABLE rows (holdfast_key text UNIQUE, name text NOT NULL, n bigint, more jsonb)',
  );
  await client.end();
  return { url, connect, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

export async function connectTo(url: string): Promise<PostgresClient> {
  const client = new Client({ connectionString: url });
  // One that the server ends meanwhile says so in the answer to what is asked.
  client.on('error', () => {});
  await client.connect();
  return client;
}
