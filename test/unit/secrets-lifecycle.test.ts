// Secrets as a process has them: resolved when it starts, read at each call, rotated and revoked at once, and none of it undone by
// a crash [P4].

import { expect, test } from 'vitest';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { OTHER, PLANTED, secretsOf } from '../support/secrets.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

/** Says of each event what it was given for the secret that is named there. */
const READS = `
  try {
    const value = await ctx.secret(event.payload);
    note('given ' + value.length + ' ' + value.slice(0, 7));
  } catch (error) {
    note(error.name + ' ' + error.code + ' ' + error.refusal + ' ' + (error instanceof SecretUnavailable));
  }`;

const module = (body: string): string => `
  import { SecretUnavailable } from 'holdfast';
  export default defineAgent({ async onTrigger(ctx, event) { ${body} } });`;

const started = (
  config: ReturnType<typeof secretsOf>,
  environment: Record<string, string>,
  more: { readonly clock?: SteppedClock; readonly directory?: string } = {},
): Promise<Bench> =>
  bench(module(READS), config, more.directory ?? tempDirectory(), {
    environment,
    ...(more.clock === undefined ? {} : { clock: more.clock }),
  });

async function read(of: Bench, name = 'API_KEY'): Promise<string> {
  const before = of.ledger().length;
  await of.trigger(name);
  await waitFor(() => of.ledger().length > before && isIdle(of.process), { what: 'an answer' });
  return of.ledger().at(-1)!;
}

const statusOf = (of: Bench, name = 'API_KEY') =>
  of.process.secrets.standings().find((one) => one.name === name)!;

test('code is given the present value, and each refusal by a class of its own', async () => {
  const of = await started(secretsOf(['API_KEY']), { API_KEY: PLANTED });
  expect(await read(of)).toBe(`given ${PLANTED.length} ${PLANTED.slice(0, 7)}`);
  expect(await read(of, 'NOT_THERE')).toBe('SecretUnavailable secret.unknown unknown true');
  await of.process.governance.revokeSecret('API_KEY', OPERATOR);
  expect(await read(of)).toBe('SecretUnavailable secret.revoked revoked true');
  expect(statusOf(of)).toMatchObject({ status: 'revoked', source: 'variable', from: '${API_KEY}' });
});

test('C25: a rotation counts from the next call on, without a restart, and its ttl is honoured', async () => {
  const clock = new SteppedClock(Date.now());
  const of = await started(
    secretsOf(['API_KEY'], { ttlsMs: { API_KEY: 60_000 } }),
    { API_KEY: PLANTED },
    { clock },
  );
  await read(of);
  const worker = of.process.live.worker?.pid;
  await of.process.governance.rotateSecret({ name: 'API_KEY', value: OTHER, ttlMs: 5_000 }, OPERATOR);
  expect(await read(of)).toBe(`given ${OTHER.length} ${OTHER.slice(0, 7)}`);
  expect(of.process.live.worker?.pid).toBe(worker);
  clock.pass(5_001);
  expect(await read(of)).toBe('SecretUnavailable secret.expired expired true');
  expect(statusOf(of).status).toBe('expired');
  // Rotated without one, it has the manifest's.
  await of.process.governance.rotateSecret(
    { name: 'API_KEY', value: `${OTHER}!`, ttlMs: undefined },
    OPERATOR,
  );
  clock.pass(59_000);
  expect(await read(of)).toMatch(/^given/);
  clock.pass(2_000);
  expect(await read(of)).toMatch(/expired/);
  const rotated = (await of.entries()).filter(({ entry_type: type }) => type === 'secret_rotated');
  expect(rotated.map(({ data }) => [data['name'], data['actor'], data['reason']])).toEqual([
    ['API_KEY', OPERATOR.name, OPERATOR.reason],
    ['API_KEY', OPERATOR.name, OPERATOR.reason],
  ]);
});

test('C25: a stop revokes them, its worker is gone with them, and a start resolves them anew', async () => {
  const environment: Record<string, string> = { API_KEY: PLANTED };
  const of = await started(secretsOf(['API_KEY']), environment);
  await read(of);
  await of.process.stop(OPERATOR);
  expect(of.process.live.worker).toBeNull();
  expect(statusOf(of).status).toBe('revoked');
  environment['API_KEY'] = OTHER;
  await of.process.start(OPERATOR);
  expect(await read(of)).toBe(`given ${OTHER.length} ${OTHER.slice(0, 7)}`);
});

test('C25: where the manifest says so, a stop revokes nothing', async () => {
  const environment: Record<string, string> = { API_KEY: PLANTED };
  const of = await started(secretsOf(['API_KEY'], { revokeOnStop: false }), environment);
  await of.process.stop(OPERATOR);
  environment['API_KEY'] = OTHER;
  await of.process.start(OPERATOR);
  expect(await read(of)).toBe(`given ${PLANTED.length} ${PLANTED.slice(0, 7)}`);
});

test('one that is missing fails the start with its name, all of them at once, and nothing has changed', async () => {
  const environment: Record<string, string> = { API_KEY: PLANTED, DB: 'a-password-1' };
  const of = await started(secretsOf(['API_KEY', 'DB']), environment);
  await of.process.stop(OPERATOR);
  delete environment['API_KEY'];
  environment['DB'] = 'short';
  await expect(of.process.start(OPERATOR)).rejects.toMatchObject({
    code: 'secret.missing',
    message: expect.stringMatching(
      /\$\{API_KEY\} is not set[^]*\$\{DB\} holds for DB can't be a secret: it has 5 /,
    ),
  });
  expect(of.process.snapshot.lifecycle).toBe('stopped');
  environment['API_KEY'] = PLANTED;
  environment['DB'] = 'a-password-1';
  await of.process.start(OPERATOR);
  expect(await read(of)).toMatch(/^given/);
});

test('a host that comes back without the variable leaves the process failed, and says why [P5]', async () => {
  const environment: Record<string, string> = { API_KEY: PLANTED };
  const first = await started(secretsOf(['API_KEY']), environment);
  await read(first);
  delete environment['API_KEY'];
  const second = await first.again();
  expect(second.process.snapshot).toMatchObject({
    lifecycle: 'failed',
    lifecycleReason: expect.stringContaining('${API_KEY} is not set'),
  });
});

test('[P4] what was revoked or had expired stays so behind a crash; what is given has the time that it had', async () => {
  const clock = new SteppedClock(Date.now());
  const config = secretsOf(['API_KEY', 'DB', 'OLD'], { ttlsMs: { DB: 60_000, OLD: 1_000 } });
  const environment = { API_KEY: PLANTED, DB: 'a-password-1', OLD: 'an-old-one-1' };
  const first = await started(config, environment, { clock });
  await first.process.governance.revokeSecret('API_KEY', OPERATOR);
  clock.pass(30_000);
  const second = await first.again();
  expect(second.process.snapshot.lifecycle).toBe('running');
  expect(second.process.secrets.standings().map(({ name, status }) => [name, status])).toEqual([
    ['API_KEY', 'revoked'],
    ['DB', 'active'],
    ['OLD', 'expired'],
  ]);
  clock.pass(31_000);
  expect(await read(second, 'DB')).toMatch(/expired/);
  expect((await folded(second)).secrets).toEqual(second.process.snapshot.secrets);
});

test('who read what is on record once for each invocation, by name, and refusals too', async () => {
  const of = await bench(
    `for (let n = 0; n < 5; n += 1) await ctx.secret('API_KEY');
     await ctx.secret('GONE').catch(() => {});
     note('read');`,
    secretsOf(['API_KEY', 'GONE']),
    tempDirectory(),
    { environment: { API_KEY: PLANTED, GONE: 'another-one-1' } },
  );
  await of.process.governance.revokeSecret('GONE', OPERATOR);
  for (const _ of [1, 2]) await of.trigger();
  await of.until('both', () => of.ledger().length === 2 && isIdle(of.process));
  const reads = (await of.entries()).filter(({ entry_type: type }) => type === 'secret_read');
  expect(reads.map(({ data }) => [data['name'], data['refused']])).toEqual([
    ['API_KEY', undefined],
    ['GONE', 'revoked'],
    ['API_KEY', undefined],
    ['GONE', 'revoked'],
  ]);
  expect(statusOf(of).lastReadAt).not.toBeNull();
});

test.each<[string, string, RegExp]>([
  ['too short', 'short', /it has 5 characters/],
  ['a single word', 'checkpoint', /single short word/],
  ['what stands for one', '[secret:API_KEY]', /taken out/],
  ['as another', 'a-password-1', /have the same value/],
])('a new value that is %s is refused, and not told', async (_, value, why) => {
  const of = await started(secretsOf(['API_KEY', 'DB']), { API_KEY: PLANTED, DB: 'a-password-1' });
  const refused = of.process.governance.rotateSecret({ name: 'API_KEY', value, ttlMs: undefined }, OPERATOR);
  await expect(refused).rejects.toThrow(why);
  if (value !== 'a-password-1') return;
  await expect(
    of.process.governance.rotateSecret({ name: 'NOPE', value: OTHER, ttlMs: undefined }, OPERATOR),
  ).rejects.toThrow('There are: API_KEY, DB.');
});

test('no worker gets a variable that holds a secret, of whichever process, under whichever name', async () => {
  process.env['HF_TEST_KEY'] = PLANTED;
  process.env['HF_TEST_SAME'] = PLANTED;
  process.env['HF_TEST_OTHER'] = 'harmless';
  try {
    const of = await bench(
      `note(JSON.stringify(Object.keys(process.env).filter((name) => name.startsWith('HF_TEST')).sort()));`,
      secretsOf(['HF_TEST_KEY'], { withheld: ['HF_TEST_KEY'] }),
    );
    await of.trigger();
    await of.until('its word', () => of.ledger().length === 1);
    expect(of.ledger()).toEqual(['["HF_TEST_OTHER"]']);
  } finally {
    for (const name of ['KEY', 'SAME', 'OTHER']) delete process.env[`HF_TEST_${name}`];
  }
});

test('[S22] a clock that jumps back an hour gives no more time, and nothing that has expired is back', async () => {
  const clock = new SteppedClock(Date.now());
  const ttlsMs = { API_KEY: 60_000 };
  const of = await started(secretsOf(['API_KEY'], { ttlsMs }), { API_KEY: PLANTED }, { clock });
  await read(of);
  clock.set(-3_600_000);
  expect(await read(of)).toMatch(/^given/);
  clock.pass(60_001);
  expect(await read(of)).toBe('SecretUnavailable secret.expired expired true');
  clock.set(-3_600_000);
  expect(await read(of)).toBe('SecretUnavailable secret.expired expired true');
  expect((await folded(of)).secrets).toEqual(of.process.snapshot.secrets);
});
