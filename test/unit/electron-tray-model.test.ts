import { describe, expect, test } from 'vitest';
import { trayModel, type TrayModel } from '../../electron/main/tray-model.ts';
import { fleetOf, processRow } from './electron-rows.ts';

const labels = (model: TrayModel): readonly string[] =>
  model.menu.map((item) => (item.kind === 'separator' ? '-' : item.label));

describe('the icon is the worst of what this host runs', () => {
  const running = processRow({ name: 'a' });
  const waiting = processRow({ name: 'b', state: 'suspended', tone: 'attention' });
  const failed = processRow({ name: 'c', state: 'failed', tone: 'alarm' });

  test.each([
    ['idle', []],
    ['idle', [processRow({ name: 's', state: 'stopped', tone: 'quiet' })]],
    ['ok', [running]],
    ['ok', [processRow({ name: 'w', state: 'awaiting', tone: 'quiet' })]],
    ['attention', [running, waiting]],
    ['alarm', [running, waiting, failed]],
  ] as const)('%s', (icon, rows) => {
    expect(trayModel(fleetOf(...rows)).icon).toBe(icon);
  });

  test('a journal that is only looked at alarms nobody [S41]', () => {
    const foreign = processRow({ name: 'old', live: false, state: 'failed', tone: 'alarm' });
    expect(trayModel(fleetOf(foreign))).toMatchObject({ icon: 'idle', tooltip: 'Holdfast: No processes' });
  });

  test('before the host is up nothing is claimed [P5]', () => {
    expect(trayModel(null)).toMatchObject({ icon: 'idle', tooltip: 'Holdfast: Starting' });
  });
});

test('the summary counts the worst first, and leaves out what is none', () => {
  const fleet = fleetOf(
    processRow({ name: 'a' }),
    processRow({ name: 'b' }),
    processRow({ name: 'c', state: 'failed', tone: 'alarm' }),
    processRow({ name: 'd', state: 'suspended', tone: 'attention', doubts: 1 }),
  );
  expect(trayModel(fleet).tooltip).toBe('Holdfast: 1 failed · 1 in doubt · 1 suspended · 2 running');
});

test('the menu opens, leads to each failed process, and quits', () => {
  const model = trayModel(fleetOf(processRow({ name: 'clerk', state: 'failed', tone: 'alarm' })));
  expect(labels(model)).toEqual([
    '1 failed',
    '-',
    '✕ clerk failed',
    '-',
    'Open Holdfast',
    'Open Journal…',
    '-',
    'Quit Holdfast',
  ]);
  expect(model.menu[2]).toMatchObject({
    action: { type: 'show-process', journalId: 'j1', process: 'clerk' },
  });
});

test('two hundred failures are five entries and a number', () => {
  const rows = Array.from({ length: 200 }, (_, n) => processRow({ name: `p${String(n)}`, state: 'failed' }));
  const shown = labels(trayModel(fleetOf(...rows)));
  expect(shown.filter((label) => label.startsWith('✕'))).toHaveLength(5);
  expect(shown).toContain('and 195 more failed');
});

test('a hostile name stays one bounded line that reads in its own direction', () => {
  const name = `a\n\u202Eb${'x'.repeat(200)}`;
  const entry = labels(trayModel(fleetOf(processRow({ name, state: 'failed' }))))[2] ?? '';
  expect(entry).not.toMatch(/[\n\u202E]/);
  expect(entry.length).toBeLessThan(60);
});
