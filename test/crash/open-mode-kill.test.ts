// P2: an agent changes itself, and its host is killed for real after each few lines of its journals, before or after they are
// synced. Started again until it is done, each change is on record once, and its tools have answered that they were done.

import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { triggerIdOf } from '../../core/runtime/trigger-id.ts';
import { mapLimited, startNode } from '../support/child.ts';
import type { Call } from '../support/open-source.ts';
import type { OpenOrder } from '../support/open-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const HOST = fileURLToPath(new URL('../support/open-host.ts', import.meta.url));
const EVERY_HOUR = { type: 'cron', cron_expression: '0 * * * *' };
const HOURLY = triggerIdOf({
  type: 'cron',
  cronExpression: '0 * * * *',
  cronTimezone: 'UTC',
  missed: 'skip',
  filter: null,
});

const CALLS: readonly Call[] = [
  { tool: 'modify_instructions', args: { instructions: 'one' } },
  { tool: 'add_trigger', args: { trigger: EVERY_HOUR } },
  { tool: 'connect_mcp_server', args: { name: 'tools', url: 'http://127.0.0.1:9/mcp' } },
  { tool: 'spawn_process', args: { name: 'a', instructions: 'be a' } },
  { tool: 'disconnect_mcp_server', args: { name: 'tools' } },
  { tool: 'remove_trigger', args: { trigger_id: HOURLY } },
  { tool: 'add_trigger', args: { trigger: { type: 'event', event_type: 'news' } } },
  { tool: 'modify_instructions', args: { instructions: 'two' } },
  { tool: 'undo_change', args: { change: 'all' } },
];

/** How often each entry is there, in the journals of the agent and of what it began. */
const ONCE = {
  settings_changed: 3,
  trigger_added: 2,
  trigger_removed: 2,
  server_connected: 1,
  server_disconnected: 1,
  process_spawned: 1,
  process_discarded: 1,
  'agent.a: spawned': 1,
  'agent.a: discarded': 1,
};

interface Lived {
  readonly lines: number;
  readonly kills: number;
  readonly counts: Record<string, number>;
  readonly errors: readonly unknown[];
  readonly isSound: boolean;
}

async function live(directory: string, kill: OpenOrder['kill']): Promise<Lived> {
  mkdirSync(directory);
  let kills = 0;
  for (let next = kill; ; next = null) {
    const order: OpenOrder = { directory, calls: CALLS, kill: next };
    const { signal, stdout, stderr } = await startNode(HOST, [JSON.stringify(order)]).ended;
    if (stderr !== '') throw new Error(stderr);
    if (signal === null)
      return { lines: Number(stdout), kills, ...(await found(join(directory, 'journal'))) };
    kills += 1;
  }
}

async function found(directory: string): Promise<Pick<Lived, 'counts' | 'errors' | 'isSound'>> {
  const journal = readFileJournal(directory);
  const [own, childs] = [await journal.read('agent'), await journal.read('agent.a')];
  const counts: Record<string, number> = {};
  const count = (name: string): void => {
    if (Object.hasOwn(ONCE, name)) counts[name] = (counts[name] ?? 0) + 1;
  };
  for (const { entry_type } of own) count(entry_type);
  for (const { entry_type } of childs) count(`agent.a: ${entry_type}`);
  const { context, settings, self } = foldEntries(own);
  const answers = context['answers'] as readonly { readonly isError: boolean }[];
  const { processes } = await verifyJournal(directory);
  const isSound = processes.every(({ damage }) => damage.length === 0);
  const left = [...Object.keys(settings), ...self.spawned, ...Object.keys(self.servers)];
  return { counts, errors: [...answers.filter(({ isError }) => isError), ...left], isSound };
}

/** Of the lines of a life without a kill; one more each time, so that both kinds come everywhere. */
const EVERY = Number(process.env['HOLDFAST_OPEN_EVERY'] ?? 7);

test('each change is made once, wherever its host is killed', async () => {
  const directory = tempDirectory();
  const undisturbed = await live(join(directory, 'whole'), null);
  expect(undisturbed).toMatchObject({ counts: ONCE, errors: [], isSound: true });
  const places = Array.from(
    { length: Math.floor((undisturbed.lines - 1) / EVERY) },
    (_, at) => 1 + at * EVERY,
  );
  const lives = await mapLimited(places, 2, (after) =>
    live(join(directory, `life-${after}`), { after, when: after % 2 === 0 ? 'written' : 'synced' }),
  );
  for (const [at, { counts, errors, isSound }] of lives.entries()) {
    expect({ after: places[at], counts, errors, isSound }).toEqual({
      after: places[at],
      counts: ONCE,
      errors: [],
      isSound: true,
    });
  }
  expect(lives.filter(({ kills }) => kills > 0).length).toBeGreaterThan(lives.length / 2);
}, 600_000);
