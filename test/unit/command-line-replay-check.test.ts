// `holdfast replay-check` as a program.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdfast } from '../support/child.ts';
import { treeHash } from '../support/fixtures.ts';
import { changed, SHOP } from '../support/replay-checks.ts';
import { bench, isIdle } from '../support/runtime.ts';

test('[P6] holdfast replay-check: by process or by module, a line for each, and an exit code for scripts', async () => {
  const b = await bench(SHOP);
  await b.trigger();
  await b.until('the end', isIdle);
  await b.quit();
  const journal = join(b.directory, 'journal');
  writeFileSync(join(b.directory, 'agent.agent'), 'name: agent\nentrypoint: ./agent.ts\n');
  const other = changed(b, { 'amount: 5': 'amount: 6' });
  const before = { hash: treeHash(journal), ledger: b.ledger() };

  const same = await holdfast(['replay-check', 'agent', journal]);
  expect(same).toMatchObject({ code: 0, stderr: '' });
  expect(same.stdout).toMatch(/^\d+ {2}ok {2}invocation 1, recorded done, event [\da-f-]{36}\n/);
  expect(same.stdout).toContain('1 ok · 0 diverged · 0 with another end · 0 unchecked');

  const text = await holdfast(['replay-check', other, journal, '--last', '1']);
  expect(text.code).toBe(1);
  expect(text.stdout).toMatch(
    /DIVERGED .+: expected charge#0 with arguments \w+ \(\{"amount":5\}\); found charge#0/,
  );
  expect(text.stderr).toMatch(
    /^holdfast: .+ does not do what the journal of agent says in 1 of 1 invocations\. [^\n]+\n$/,
  );

  const json = await holdfast(['replay-check', other, journal, '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    process: 'agent',
    entrypoint: other,
    ended: 1,
    counts: { ok: 0, diverged: 1, 'other-end': 0, unchecked: 0 },
    checked: [{ verdict: 'diverged', invocation: 1, attempt: 1, recorded: 'done' }],
  });

  const nobody = await holdfast(['replay-check', 'nobody', journal]);
  expect(nobody).toMatchObject({ code: 3, stdout: '' });
  expect(nobody.stderr).toMatch(/neither a process of that journal nor the path of a module.+: agent\./);
  const broken = changed(b, {
    'import { defineAgent': "import { nothing } from './nowhere.ts';\nimport { defineAgent",
  });
  const unloadable = await holdfast(['replay-check', broken, journal]);
  expect(unloadable).toMatchObject({ code: 1, stdout: '' });
  expect(unloadable.stderr).toMatch(/can't be loaded/);
  expect({ hash: treeHash(journal), ledger: b.ledger() }).toEqual(before);
});
