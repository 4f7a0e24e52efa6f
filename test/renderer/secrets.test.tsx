// @vitest-environment jsdom
// Secrets on the page of a process: all about them but their values, and what is done about them.

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { before, HOUR, secretOf } from './fixtures.ts';
import { ok, refused } from './memory-client.ts';
import { dialog, done, enter, pressed, region, shown, stopClock } from './process-page.ts';

stopClock();

const NEW = 'another-value-4711';

test('each is told with where it comes from, whether it may be read, until when, and when it was', async () => {
  await shown({
    secrets: [
      secretOf(),
      secretOf({ name: 'DB', status: 'revoked', expiresAt: null, lastReadAt: null, isRotationLost: true }),
      secretOf({ name: 'OLD', status: 'expired', expiresAt: before(HOUR) }),
    ],
  });
  const rows = region('Secrets')
    .getAllByRole('listitem')
    .map((row) => row.textContent);
  expect(rows[0]).toContain('API_KEYactivefrom ${API_KEY} · expires in 2 h · last read 3 m ago');
  expect(rows[1]).toMatch(/DBrevoked.*never expires · never read.*in a host that is gone/);
  expect(rows[2]).toContain('OLDexpiredfrom ${API_KEY} · expired 1 h ago');
  expect(region('Secrets').getByRole<HTMLButtonElement>('button', { name: 'Revoke DB…' }).disabled).toBe(
    true,
  );
});

test('a process without any has no card for them', async () => {
  await shown();
  expect(screen.queryByRole('region', { name: 'Secrets' })).toBeNull();
});

test('[P7] a value is typed unseen, sent once with a reason, and is nowhere on the page or in what it keeps', async () => {
  const host = await shown({ secrets: [secretOf()] });
  host.answer('secrets.rotate', () => ok(done));
  await pressed('Rotate API_KEY…');
  const field = dialog().getByLabelText<HTMLInputElement>('New value');
  expect(field.type).toBe('password');
  expect(field.autocomplete).toBe('new-password');
  const confirm = { name: 'Rotate API_KEY' };
  expect(dialog().getByRole<HTMLButtonElement>('button', confirm).disabled).toBe(true);
  enter('New value', 'short');
  expect(dialog().getByText(/It can’t be a secret: it has 5 characters/)).toBeTruthy();
  enter('New value', NEW);
  await pressed('Regular rotation');
  await pressed('Rotate API_KEY');
  expect(host.askedFor('secrets.rotate')).toEqual([
    {
      journalId: 'j-demo',
      process: 'market-watcher',
      commandId: expect.any(String),
      reason: 'Regular rotation',
      name: 'API_KEY',
      value: NEW,
    },
  ]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(document.body.innerHTML).not.toContain(NEW);
});

test('what the host refuses is said where it was asked, and asked again it is another command', async () => {
  const host = await shown({ secrets: [secretOf()] });
  host.answer('secrets.rotate', () =>
    refused({ code: 'secret.same-value', message: 'API_KEY and DB have the same value.' }),
  );
  await pressed('Rotate API_KEY…');
  enter('New value', NEW);
  await pressed('Regular rotation');
  await pressed('Rotate API_KEY');
  expect(dialog().getByText(/have the same value/)).toBeTruthy();
  enter('New value', `${NEW}!`);
  await pressed('Rotate API_KEY');
  const asked = host.askedFor('secrets.rotate') as readonly {
    readonly value: string;
    readonly commandId: string;
  }[];
  expect(asked.map(({ value }) => value)).toEqual([NEW, `${NEW}!`]);
  expect(asked[0]!.commandId).not.toBe(asked[1]!.commandId);
});

test('[P7] one is revoked, or all of them, with a reason', async () => {
  const host = await shown({ secrets: [secretOf()] });
  host.answer('secrets.revoke', () => ok(done));
  await pressed('Revoke API_KEY…');
  await pressed('It may have leaked');
  await pressed('Revoke API_KEY');
  await pressed('Revoke all…');
  await pressed('It is not needed any more');
  await pressed('Revoke all secrets');
  expect(host.askedFor('secrets.revoke')).toMatchObject([
    { name: 'API_KEY', reason: 'It may have leaked' },
    { name: null, reason: 'It is not needed any more' },
  ]);
});
