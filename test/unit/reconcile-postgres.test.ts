// A row of a real PostgreSQL, with transactions that outlive who began them.

import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgresRow } from '../../core/agent/reconcilers/postgres-row.ts';
import { tokenOf } from '../../core/agent/reconcilers/reconciled-effect.ts';
import { byHand, failureOf } from '../support/by-hand.ts';
import {
  connectTo,
  NO_POSTGRES,
  startTestPostgres,
  type TestPostgres,
} from '../support/providers/postgres.ts';
import { waitFor } from '../support/wait-for.ts';

/** As it goes over the wire. */
const COMMIT = 'COMMIT\0';

describe.skipIf(NO_POSTGRES !== null)(`a row of PostgreSQL ${NO_POSTGRES ?? ''}`, () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startTestPostgres();
  }, 120_000);
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
  });

  let keys = 0;
  const row = (more: Partial<Parameters<typeof postgresRow>[0]> = {}) => {
    keys += 1;
    const key = `key ${keys}`;
    const made = postgresRow({
      connect: () => postgres.connect(),
      table: 'public.rows',
      values: { name: 'bread', n: 5, more: { list: [1, 'two'] } },
      ...more,
    });
    return { key, token: tokenOf(key), ...byHand(made, key) };
  };
  /** Asks about the same row, without whatever is between the other one and the server. */
  const alike = (key: string, table = 'rows') =>
    byHand(postgresRow({ connect: () => postgres.connect(), table, values: {} }), key);
  const query = async (text: string): Promise<readonly unknown[]> => {
    const client = await postgres.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const countOf = async (token: string): Promise<number> =>
    (await query(`SELECT 1 FROM rows WHERE holdfast_key = '${token}'`)).length;

  test('it is inserted once, and found by its key: the same result either way', async () => {
    const effect = row();
    expect(await effect.ask()).toEqual({ happened: false });
    const result = await effect.perform();
    expect(result).toEqual({
      holdfast_key: effect.token,
      name: 'bread',
      n: 5,
      more: { list: [1, 'two'] },
    });
    expect(await effect.ask()).toEqual({ happened: true, result });
    expect(await effect.perform()).toEqual(result);
    expect(await countOf(effect.token)).toBe(1);
  });

  test('[S28] what the server refuses did not happen, and will not next time; a table that is locked may', async () => {
    const refused = row({ values: { name: null } });
    expect(await failureOf(refused.perform())).toMatchObject({
      code: 'effect.did-not-happen',
      retryable: false,
    });
    expect(await failureOf(row({ table: 'no_such' }).perform())).toMatchObject({
      code: 'effect.did-not-happen',
      retryable: false,
    });
    const nobody = row({ connect: () => connectTo('postgresql://x@127.0.0.1:1/x') });
    expect(await failureOf(nobody.perform())).toMatchObject({
      code: 'effect.did-not-happen',
      retryable: true,
    });
    expect(await nobody.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  });

  test('names are quoted: what they hold is no statement', async () => {
    const effect = row({ table: 'rows"; DROP TABLE rows; --' });
    expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen' });
    expect(await query('SELECT 1 FROM rows LIMIT 0')).toEqual([]);
  });

  test('[S30] a client that is dead before COMMIT: not yet while its transaction is open, and then it did not happen', async () => {
    const cable = await cableTo(postgres.url);
    const other = row();
    const dying = row({ connect: () => connectTo(cable.url) });
    const asking = alike(dying.key);
    // What it sends stops at COMMIT, and the server does not hear that it is gone.
    cable.holdAt(COMMIT);
    const death = new AbortController();
    const failed = failureOf(dying.perform(death.signal));
    await cable.held;
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await asking.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
    }
    // Another key is not concerned.
    expect(await other.ask()).toEqual({ happened: false });
    cable.cut();
    await failed;
    expect(await asking.settle()).toEqual({ happened: false });
    expect(await countOf(dying.token)).toBe(0);
  });

  test('[S30] a server that commits after its client has died: not yet while it does, and then it happened', async () => {
    await query(`CREATE TABLE slow (holdfast_key text UNIQUE, name text)`);
    await query(`CREATE TABLE gate (open int)`);
    await query(
      `CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM open FROM gate; RETURN NULL; END $$`,
    );
    await query(
      `CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slowly()`,
    );
    // Its COMMIT takes as long as somebody else has the gate.
    const keeper = await postgres.connect();
    onTestFinished(() => keeper.end());
    await keeper.query('BEGIN');
    await keeper.query('LOCK TABLE gate');
    const cable = await cableTo(postgres.url);
    const effect = row({ connect: () => connectTo(cable.url), table: 'slow', values: { name: 'late' } });
    const asking = alike(effect.key, 'slow');
    const other = row({ table: 'slow' });
    cable.cutBehind(COMMIT);
    const failed = failureOf(effect.perform());
    await cable.held;
    expect(await asking.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
    // The code of the attempt can't know: it is in doubt.
    expect(await failed).not.toMatchObject({ code: 'effect.did-not-happen' });
    expect(await asking.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
    await keeper.query('COMMIT');
    expect(await asking.settle()).toMatchObject({ happened: true, result: { name: 'late' } });
    expect(await other.ask()).toEqual({ happened: false });
  });

  test('an attempt beside one of the same key that is still open does nothing', async () => {
    const effect = row();
    const other = await postgres.connect();
    onTestFinished(() => other.end());
    const blocker = byHand(
      postgresRow({
        connect: () =>
          Promise.resolve({
            query: (text: string, values?: unknown[]) =>
              text === 'COMMIT' ? new Promise<never>(() => {}) : other.query(text, values),
            end: () => Promise.resolve(),
          }),
        table: 'rows',
        values: { name: 'bread' },
      }),
      effect.key,
    );
    void blocker.perform();
    const looking = await postgres.connect();
    onTestFinished(() => looking.end());
    // Asked before it has begun, it would find the key taken, and give up.
    await waitFor(
      async () =>
        (await looking.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted")).rows.length >
        0,
      { what: 'the open transaction' },
    );
    expect(await effect.ask()).toMatchObject({ happened: 'unknown' });
    expect(await failureOf(effect.perform())).toMatchObject({
      code: 'effect.did-not-happen',
      retryable: true,
    });
    await other.query('ROLLBACK');
    expect(await effect.ask()).toEqual({ happened: false });
  });

  test('a replica, which may be behind, is not believed', async () => {
    const effect = row({
      connect: () =>
        Promise.resolve({
          query: (text: string) =>
            Promise.resolve({ rows: text.includes('pg_is_in_recovery') ? [{ is_replica: true }] : [] }),
          end: () => Promise.resolve(),
        }),
    });
    const answer = await effect.ask();
    expect(answer).toMatchObject({ happened: 'unknown', why: expect.stringContaining('replica') });
    expect(answer).not.toHaveProperty('retryAfterMs');
  });
});

/** What goes through it may be stopped at a word, or cut right behind it. */
async function cableTo(url: string) {
  const target = new URL(url);
  const ends: Socket[] = [];
  let word: { readonly text: string; readonly isSent: boolean } | null = null;
  let tellHeld!: () => void;
  const held = new Promise<void>((resolve) => (tellHeld = resolve));
  const server = createServer((near) => {
    const far = connectSocket(Number(target.port), target.hostname);
    ends.push(near, far);
    for (const end of [near, far]) end.on('error', () => end.destroy());
    far.on('data', (piece) => void near.write(piece));
    near.on('data', (piece) => {
      const isThere = word !== null && piece.includes(word.text);
      if (!isThere || word!.isSent) far.write(piece);
      if (!isThere) return;
      if (word!.isSent) near.destroy();
      tellHeld();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => ends.forEach((end) => end.destroy());
  onTestFinished(() => {
    cut();
    server.close();
  });
  const near = new URL(url);
  near.port = String((server.address() as AddressInfo).port);
  return {
    url: near.href,
    held,
    cut,
    holdAt: (text: string): void => void (word = { text, isSent: false }),
    cutBehind: (text: string): void => void (word = { text, isSent: true }),
  };
}
