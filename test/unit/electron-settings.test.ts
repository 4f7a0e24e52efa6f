import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSettings, parseSettings } from '../../electron/main/settings.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-settings-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const DEFAULTS = { hideOnClose: true, hideExplained: false, lastDirectory: null };

test.each([[''], ['{'], ['null'], ['[]'], ['{"hideOnClose":"no","lastDirectory":7}']])(
  'what can’t be read is as if never set: %j',
  (text) => {
    expect(parseSettings(text)).toEqual(DEFAULTS);
  },
);

test('a setting is kept, in a directory that did not exist', () => {
  const path = join(directory, 'new/shell.json');
  const settings = openSettings(path);
  expect(settings.get()).toEqual(DEFAULTS);
  settings.update({ hideOnClose: false });
  expect(openSettings(path).get()).toEqual({ ...DEFAULTS, hideOnClose: false });
});

test('a setting that can’t be written still holds as long as the console runs', () => {
  const blocked = join(directory, 'file');
  writeFileSync(blocked, 'not a directory');
  const settings = openSettings(join(blocked, 'shell.json'));
  settings.update({ hideExplained: true });
  expect(settings.get().hideExplained).toBe(true);
  expect(readFileSync(blocked, 'utf8')).toBe('not a directory');
});
