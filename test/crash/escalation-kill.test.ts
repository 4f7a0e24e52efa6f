// A host that is killed between raising a cause and telling somebody of it: the next one tells it, with the same id, and no
// host tells again what is known to have arrived.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { receiver, never, status } from '../support/receiver.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

test(
  '[P4] kill -9 between raised and sent: told by the next host with the same id and the same words, and by no host after that',
  { timeout: 300_000 },
  async () => {
    const one = await receiver(never);
    const workspace = workspaceOf(
      { clerk: `throw new Error('the till is empty');` },
      `config: { max_consecutive_failures: 1 }\nholdfast: { escalation: { webhook_url: "${one.url}", allow_private: true } }\n`,
    );
    const data = tempDirectory();
    const entries = async () => {
      const all = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
      return all.filter(({ entry_type }) => entry_type.startsWith('escalation_'));
    };

    const first = await runHost(workspace, data);
    expect((await first.command('trigger', workspace, 'clerk')).code).toBe(0);
    await waitFor(() => one.received.length === 1, { what: 'the first attempt' });
    await first.kill();
    expect((await entries()).map(({ entry_type }) => entry_type)).toEqual(['escalation_raised']);

    one.answer(status(503));
    const second = await runHost(workspace, data);
    await waitFor(() => one.received.length >= 2, { what: 'the attempt of the next host' });
    await waitFor(async () => (await entries()).length >= 2, { what: 'its record' });
    await second.kill();

    one.answer(status(204));
    const third = await runHost(workspace, data);
    await waitFor(async () => (await entries()).at(-1)?.entry_type === 'escalation_sent', {
      what: 'its arrival',
    });
    const listed = await third.command('escalations', workspace, 'clerk');
    expect(listed.stdout).toMatch(/^told: webhook http:\/\/127\.0\.0\.1:\d+\/…$/m);
    expect(listed.stdout).toMatch(/ {2}open {2}process\/failed · clerk has failed: /);
    expect(listed.stdout).toMatch(/ {2}webhook http.* told after \d attempts, answered 204$/m);
    await third.kill();
    const told = one.received.length;

    const fourth = await runHost(workspace, data);
    // What it would tell it had told by the time that a test has arrived.
    const tested = await fourth.command('escalate', workspace, 'clerk', '--test');
    expect(tested.stdout).toContain('answered 204.');
    expect(one.received).toHaveLength(told + 1);
    const [id, ...others] = new Set(
      one.received.slice(0, told).map(({ headers }) => headers['x-holdfast-delivery']),
    );
    expect(others).toEqual([]);
    expect(new Set(one.received.slice(0, told).map(({ text }) => text)).size).toBe(1);
    expect((await entries())[0]!.data['id']).toBe(id);
  },
);
