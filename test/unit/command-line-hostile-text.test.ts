// What a journal says is somebody else's text: no part of it steers the terminal of the one who looks.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesFile } from '../../core/journal/process-files.ts';
import { holdfast, mapLimited } from '../support/child.ts';
import { jsonLines } from '../support/command-journals.ts';
import { fileOf, foreignLine } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

/** What must never reach a terminal: controls but the line feed, and marks that turn text around. */
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test('nothing in a journal, its names or its path reaches the terminal raw', async () => {
  const evil = '\u001b[31m\u0007\u009b2J\u202egnp\u2066\u200f\u2028\u0085\r\n\tx\u007f';
  const directory = join(tempDirectory(), `evil \u001b[31m\u202e`);
  mkdirSync(directory);
  const name = `name ${evil}`;
  const entry = (entry_type: string, data: Record<string, unknown>): string =>
    foreignLine({ process_id: name, entry_type, data: data as never });
  writeFileSync(
    join(directory, entriesFile(name)),
    fileOf([
      entry('state_transition', { from_state: evil, to_state: evil, reason: evil, actor: evil }),
      entry('hold_placed', { hold: 'operator', reason: evil, actor: evil }),
      entry('trigger_event', { event_id: evil, trigger_id: evil, trigger_type: evil, payload: evil }),
      entry('invocation_start', { event_id: evil, invocation: 1 }),
      entry(evil, { [evil]: evil }),
      entry('context_update', { key: evil, value: { [evil]: [evil] } }),
      entry('error', { event_id: 'x', error_type: evil, error: evil }),
      foreignLine({ process_id: name, timestamp: `soon ${evil}` }),
      `{"entry_id": "\u001b[31m\u202e`,
      `\u001b]0;title\u0007`,
    ]),
  );
  writeFileSync(join(directory, `two ${evil}.jsonl`), '\n');
  const commands: string[][] = [
    ['status', directory],
    ['show', directory, name],
    ['tail', directory, name],
    ['recover', directory, name],
    ['tail', directory, 'nobody'],
    ['show', directory, `nobody ${evil}`],
    ['status', join(directory, `not here ${evil}`)],
    ['verify', directory],
    ['verify', directory, `nobody ${evil}`],
    ['repair', directory, '--to', join(directory, `../copy ${evil}`)],
    ['adopt', directory, '--to', join(directory, `../copy ${evil}`)],
  ];
  const results = await mapLimited(
    commands.flatMap((command) => [command, [...command, '--json']]),
    2,
    (command) => holdfast(command),
  );
  for (const { stdout, stderr } of results) {
    expect(RAW.exec(stdout)?.[0], stdout).toBeUndefined();
    expect(RAW.exec(stderr)?.[0], stderr).toBeUndefined();
    expect(stdout + stderr).not.toBe('');
  }
  for (const { stdout, stderr } of results.filter((_, at) => at % 2 === 1 && at < 8)) {
    expect(stderr).toBe('');
    jsonLines(stdout);
  }
  const [recovered] = jsonLines(results[7]!.stdout) as [{ lifecycle_state: string; process_id: string }];
  expect(recovered.lifecycle_state).toBe(evil);
  expect(recovered.process_id).toBe(name);
});
