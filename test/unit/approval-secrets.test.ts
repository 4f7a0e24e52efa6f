// A secret among the arguments that a person approves: seen by its name, given to the tool with its value where that name was
// left as it stood, and nowhere in the journal [J10, P7].

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WaitingItem } from '../../core/contract/waiting-view.ts';
import { isObject, type Json } from '../../core/model/json.ts';
import { restored, unmoved } from '../../core/model/placeholder.ts';
import { NO_SECRETS } from '../../core/model/secrets.ts';
import { approvingAgent } from '../support/approving-agent.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const SECRET = 'q7Zx-93kd-Lm2p';
const SHOWN = { path: 'a.txt', content: 'token=[secret:TOKEN];' };
const AGENT = approvingAgent({
  args: "{ path: 'a.txt', content: 'token=' + (await ctx.secret('TOKEN')) + ';' }",
});
const CONFIG = {
  secrets: { ...NO_SECRETS, sources: { TOKEN: { kind: 'literal', value: SECRET } } },
} as const;

const openPromise = ({ open }: Bench['process']['snapshot']) =>
  open.flatMap(({ waits }) => waits).find(({ kind, end }) => kind === 'promise' && end === null);

async function asked(b: Bench, after = ''): Promise<string> {
  const id = (): string => openPromise(b.process.snapshot)?.waitId ?? after;
  await b.until('the question', () => id() !== after);
  return id();
}

/** Everything in a directory, as it lies there. */
function bytesIn(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

/** What the tool was called with, each time. */
const written = (directory: string): readonly string[] =>
  existsSync(join(directory, 'written.txt'))
    ? readFileSync(join(directory, 'written.txt'), 'utf8').split('\n').slice(0, -1)
    : [];

test('what is left as it stood has its value, also after a restart in between; nothing of it is in the journal', async () => {
  const first = await bench(AGENT, CONFIG);
  await first.trigger();
  const id = await asked(first);
  expect(openPromise(first.process.snapshot)?.data).toMatchObject({ args: SHOWN });
  const b = await first.again();
  await asked(b);
  const approve = (args: Json) => b.process.approvals.decide(id, { kind: 'approve', args }, OPERATOR);
  for (const [args, where] of [
    [{ ...SHOWN, path: '[secret:TOKEN]' }, 'path'],
    [{ ...SHOWN, content: 'token=[secret:TOKEN]; and more' }, 'content'],
    [{ ...SHOWN, content: 'token=[secret:OTHER];' }, 'content'],
  ] as const) {
    await expect(approve(args)).rejects.toMatchObject({
      code: 'approval.bad-arguments',
      message: expect.stringContaining(`in ${where} stands for a value that nobody sees`),
    });
  }
  expect(written(b.directory)).toEqual([]);
  await approve({ ...SHOWN, path: 'b.txt' });
  await b.until('the end', isIdle);
  expect(written(b.directory)).toEqual([`{"path":"b.txt","content":"token=${SECRET};"}`]);
  expect(await folded(b)).toEqual(b.process.snapshot);
  await b.quit();
  const journal = bytesIn(join(b.directory, 'journal'));
  expect(journal).toContain('token=[secret:TOKEN];');
  expect(journal).not.toContain(SECRET);
});

test('a value that a person types in goes nowhere: not into the journal, and not to the tool as a name', async () => {
  const b = await bench(AGENT, CONFIG);
  await b.trigger();
  const first = await asked(b);
  const typed = { ...SHOWN, path: SECRET };
  await expect(
    b.process.approvals.decide(first, { kind: 'approve', args: typed }, OPERATOR),
  ).rejects.toMatchObject({ code: 'approval.bad-arguments', message: expect.not.stringContaining(SECRET) });
  await b.process.desk.settlePromise(
    first,
    { status: 'resolved', value: { verdict: 'approve', args: typed } },
    OPERATOR,
  );
  const second = await asked(b, first);
  const { data } = openPromise(b.process.snapshot)!;
  expect(isObject(data) && data['problem']).toContain('[secret:TOKEN] in path stands for a value');
  // Typed in where it stood before, it is what was asked for.
  const same = { path: 'c.txt', content: `token=${SECRET};` };
  await b.process.desk.settlePromise(
    second,
    { status: 'resolved', value: { verdict: 'approve', args: same } },
    OPERATOR,
  );
  await b.until('the end', isIdle);
  expect(written(b.directory)).toEqual([JSON.stringify(same)]);
  await b.quit();
  expect(bytesIn(join(b.directory, 'journal'))).not.toContain(SECRET);
});

test('the same from the command line of a host, with its secret from the environment', async () => {
  const workspace = workspaceOf({ agent: AGENT }, `secrets:\n  secrets:\n    TOKEN: \${APPROVED_TOKEN}\n`);
  const host = await runHost(workspace, undefined, { APPROVED_TOKEN: SECRET });
  await host.command('trigger', workspace, 'agent');
  const items = await waitFor(
    async () => {
      const found = JSON.parse((await host.command('waiting', workspace, '--json')).stdout) as WaitingItem[];
      return found.length > 0 ? found : null;
    },
    { what: 'what waits' },
  );
  const approve = (args: Json) =>
    host.command('approve', workspace, items[0]!.id, '--args', JSON.stringify(args));
  const refused = await approve({ ...SHOWN, path: '[secret:TOKEN]' });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('[secret:TOKEN] in path stands for a value that nobody sees');
  await approve({ ...SHOWN, path: 'd.txt' });
  const [line] = await waitFor(() => (written(workspace).length > 0 ? written(workspace) : null), {
    what: 'the call',
  });
  expect(line).toBe(`{"path":"d.txt","content":"token=${SECRET};"}`);
  await host.kill();
  expect(bytesIn(join(workspace, '.holdfast-journal'))).not.toContain(SECRET);
});

test('of arguments that are too large to be shown whole, no part of a secret is shown where they are cut', async () => {
  // The first 8 KiB of it as JSON end in the middle of the secret.
  const before = `{"path":"a.txt","content":"`;
  const filling = 8 * 1024 - before.length - 5;
  const args = `{ path: 'a.txt', content: 'x'.repeat(${filling}) + (await ctx.secret('TOKEN')) + 'y'.repeat(70_000) }`;
  const b = await bench(approvingAgent({ args }), CONFIG);
  await b.trigger();
  await asked(b);
  const data = openPromise(b.process.snapshot)?.data;
  expect(data).not.toHaveProperty('args');
  expect(JSON.stringify(data)).toContain('x[sec');
  expect(JSON.stringify(data)).not.toContain(SECRET.slice(0, 4));
});

describe('edited arguments', () => {
  const original: Json = {
    a: `x${SECRET}y`,
    list: [1, SECRET],
    [SECRET]: true,
    pin: 12345678,
    plain: '[secret:A]',
    small: 'tiny',
  };
  const shown: Json = {
    a: 'x[secret:A]y',
    list: [1, '[secret:A]'],
    '[secret:A]': true,
    pin: '[secret:B]',
    plain: '[secret:A]',
    small: 'tiny',
  };

  test('that nobody changed are those that were asked for', () => {
    expect(restored(original, shown)).toEqual({ args: original });
    expect(unmoved(shown, shown)).toEqual({ args: shown });
  });

  test.each<[string, Json]>([
    ['in another place', { b: 'x[secret:A]y' }],
    ['in another text', { a: 'x[secret:A]z' }],
    ['in another element', { list: ['[secret:A]', 1] }],
    ['as another name', { other: { '[secret:A]': true } }],
    ['of another name', { a: 'x[secret:B]y' }],
    ['in place of a list', { list: '[secret:A]' }],
  ])('with a name %s are refused', (_, edited) => {
    expect(unmoved(shown, edited)).toHaveProperty('problem');
  });

  test('whose sender has nothing there that could be shown so are refused by it too', () => {
    for (const edited of [
      { b: '[secret:A]' },
      { a: '[secret:A]z' },
      { list: ['[secret:A]'] },
      { pin: '1[secret:B]' },
      { small: '[secret:A]' },
    ])
      expect(restored(original, edited)).toHaveProperty('problem');
  });

  test('may leave out a secret, and write another text in its place', () => {
    const edited: Json = { a: 'plain', list: [], plain: '[secret:A]' };
    expect(unmoved(shown, edited)).toEqual({ args: edited });
    expect(restored(original, edited)).toEqual({ args: edited });
  });
});
