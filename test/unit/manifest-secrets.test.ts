// Secrets that a manifest names by using them: a key of a model is there where the host has it, and a process that does not
// need it runs without; what a server needs has to be there. [P5]

import { expect, test } from 'vitest';
import type { SecretsConfig, SecretSource } from '../../core/model/secrets.ts';
import { bench, isIdle, type Bench } from '../support/runtime.ts';

const KEY = 'sk-not-a-real-key-7731';
const optional = (variable: string): SecretSource => ({ kind: 'variable', variable, isOptional: true });
const needed = (variable: string): SecretSource => ({ kind: 'variable', variable });

function config(sources: Readonly<Record<string, SecretSource>>): { readonly secrets: SecretsConfig } {
  const variables = Object.values(sources).flatMap((source) =>
    source.kind === 'variable' ? [source.variable] : [],
  );
  return {
    secrets: {
      sources,
      ttlsMs: Object.fromEntries(Object.keys(sources).map((name) => [name, null])),
      revokeOnStop: true,
      withheld: variables,
    },
  };
}

/** Notes of each name what it is given: its length, or why not. */
const asks = (...names: string[]): string =>
  names
    .map(
      (name) =>
        `try { note('${name} ' + (await ctx.secret('${name}')).length); } catch (error) { note('${name} ' + error.refusal); }`,
    )
    .join('\n') + `\nnote(String(process.env['HF_ONE_KEY']));`;

async function given(b: Bench): Promise<readonly string[]> {
  await b.trigger();
  await b.until('the end', isIdle);
  return b.ledger();
}

function withVariables(values: Readonly<Record<string, string>>): Disposable {
  for (const [name, value] of Object.entries(values)) process.env[name] = value;
  return {
    [Symbol.dispose]: () => {
      for (const name of Object.keys(values)) delete process.env[name];
    },
  };
}

test('a key that the host has not is as good as not named, and the process runs', async () => {
  const b = await bench(asks('ONE'), config({ ONE: optional('HF_ONE_KEY') }));
  expect(b.process.snapshot.lifecycle).not.toBe('failed');
  expect(await given(b)).toEqual(['ONE unknown', 'undefined']);
  expect(b.process.snapshot.secrets).toEqual({});
});

test('one that it has is given to whoever asks, and to no worker by its environment', async () => {
  using _ = withVariables({ HF_ONE_KEY: KEY });
  const b = await bench(
    asks('ONE', 'TWO'),
    config({ ONE: optional('HF_ONE_KEY'), TWO: optional('HF_TWO_KEY') }),
  );
  expect(await given(b)).toEqual([`ONE ${KEY.length}`, 'TWO unknown', 'undefined']);
  expect(Object.keys(b.process.snapshot.secrets)).toEqual(['ONE']);
});

test('one variable under two names, and a key under every name that it may have, are no slip', async () => {
  using _ = withVariables({ HF_ONE_KEY: KEY, HF_TWO_KEY: KEY });
  const sources = { MINE: needed('HF_ONE_KEY'), ONE: optional('HF_ONE_KEY'), TWO: optional('HF_TWO_KEY') };
  const b = await bench(asks('MINE', 'ONE', 'TWO'), config(sources));
  const length = KEY.length;
  expect(await given(b)).toEqual([`MINE ${length}`, `ONE ${length}`, `TWO ${length}`, 'undefined']);
});

test('two that are needed are not to be one, as before; and one that is needed has to be there', async () => {
  using _ = withVariables({ HF_ONE_KEY: KEY, HF_TWO_KEY: KEY });
  const shared = await bench('', config({ A: needed('HF_ONE_KEY'), B: needed('HF_TWO_KEY') }));
  expect(shared.process.snapshot.lifecycle).toBe('failed');
  const missing = await bench('', config({ A: needed('HF_NONE_KEY') }));
  expect(missing.process.snapshot.lifecycle).toBe('failed');
});
