// The table of processes that `holdfast status` prints.

import { describe, expect, test } from 'vitest';
import { fleetTable } from '../../core/cli/describe.ts';
import { budgetOf, limitOf } from '../renderer/fixtures.ts';
import { processRow } from './electron-rows.ts';

describe('the table', () => {
  const long = processRow({
    name: `invoice-${'x'.repeat(300)}-north`,
    state: 'y'.repeat(300),
    why: `because ${'z'.repeat(300)}`,
  });
  const rows = [processRow({ name: 'clerk', why: 'idle' }), long];

  test('one long cell pushes nothing out of sight', () => {
    const [head, short, cut] = fleetTable(rows, 0, null) as [string, string, string];
    expect(head.indexOf('STATE')).toBe(34);
    expect(short.indexOf('idle')).toBe(head.indexOf('WHY'));
    expect(cut.slice(0, 32)).toMatch(/^invoice-x+…x+-north$/);
    expect(cut.slice(head.indexOf('WHY'))).toMatch(/^because z+…$/);
    expect(cut.length - head.indexOf('WHY')).toBe(160);
  });

  test('limits have a column where there are any: the one of which most is used', () => {
    expect(fleetTable(rows, 0, null)[0]).not.toContain('BUDGET');
    const limits = [
      limitOf(),
      limitOf({ limit: 'max_cost_per_day', words: 'cost of a day', max: 40, spent: 37, reserved: 1.5 }),
    ];
    const limited = processRow({ name: 'buyer', budget: budgetOf({ limits }) });
    const [head, clerk, , buyer] = fleetTable([...rows, limited], 0, null) as [
      string,
      string,
      string,
      string,
    ];
    const at = head.indexOf('BUDGET');
    expect(buyer.slice(at)).toMatch(/^38\.5 of 40 \(cost of a day\) /);
    expect(clerk.slice(at, head.indexOf('FAILED')).trim()).toBe('');
  });

  test('no line is wider than the terminal', () => {
    for (const line of fleetTable(rows, 0, 80)) expect(line.length).toBeLessThanOrEqual(80);
    expect(fleetTable(rows, 0, 80)[2]).toMatch(/…$/);
    expect(fleetTable(rows, 0, 1_000)[2]).toContain(long.why);
  });

  test('no character is cut in halves', () => {
    const faces = processRow({ name: '😀'.repeat(40), why: '😀'.repeat(200) });
    for (const width of [null, 60, 61]) expect(fleetTable([faces], 0, width)[1]?.isWellFormed()).toBe(true);
  });
});
