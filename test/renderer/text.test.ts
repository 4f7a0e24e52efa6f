import { assert, json, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { jsonProblem } from '../../renderer/features/actions/json-problem.ts';
import { longSpanText, spanText, steppedAge, untilText } from '../../renderer/ui/durations.ts';
import { jsonLines } from '../../renderer/ui/json-lines.ts';
import { clockText, dayWords, isoText, momentText, offsetText } from '../../renderer/ui/moments.ts';
import { costText, counted, countText, cutMiddle, sizeText } from '../../renderer/ui/numbers.ts';
import { lookOf, shownState } from '../../renderer/ui/state-look.ts';
import { endLook, standingLook } from '../../renderer/ui/work-look.ts';
import { visibleBlock, visibleLine } from '../../renderer/ui/visible-text.ts';
import { LIFECYCLE_STATES } from '../../core/model/lifecycle.ts';
import { before, DAY, HOUR, MINUTE, NOW, rowOf } from './fixtures.ts';

test('spans are short, in their largest unit, and never negative', () => {
  expect([0, 999, 12_000, 3 * MINUTE, HOUR, 25 * HOUR, -5].map(spanText)).toEqual([
    '0 s',
    '0 s',
    '12 s',
    '3 m',
    '1 h',
    '1 d',
    '0 s',
  ]);
  expect([12_000, 190_000, 3 * MINUTE, 190 * MINUTE, 3 * DAY, 3 * DAY + 4 * HOUR].map(longSpanText)).toEqual([
    '12 s',
    '3 m 10 s',
    '3 m',
    '3 h 10 m',
    '3 d',
    '3 d 4 h',
  ]);
  const ages = [-5, 9_900, 10_000, 19_999, 59_000, 199_000].map((ms) => longSpanText(steppedAge(ms)));
  expect(ages).toEqual(['0 s', '9 s', '10 s', '10 s', '50 s', '3 m 10 s']);
});

test('[P5] what is due and not known to have happened says how late it is', () => {
  expect([90_000, 1, 0, -59_999, -MINUTE, -16 * HOUR - 95_000].map(untilText)).toEqual([
    'in 1 m 30 s',
    'in 1 s',
    'now',
    'now',
    'now, 1 m late',
    'now, 16 h 1 m late',
  ]);
});

test('a moment is shown in local time with its offset and in UTC, and copied as it is written', () => {
  const at = '2026-11-29T12:00:00.123456+00:00';
  expect(momentText(at)).toContain(`${clockText(NOW)} ${offsetText(NOW)} (2026-11-29 12:00:00 UTC)`);
  expect(isoText(at)).toBe(at);
  expect(isoText('2026-11-29T14:00:00+02:00')).toBe('2026-11-29T12:00:00.000Z');
  expect([momentText('yesterday'), isoText('yesterday')]).toEqual(['yesterday', 'yesterday']);
});

test('a count belongs to a day, and only today is called that', () => {
  expect(dayWords('2026-11-29', NOW)).toBe('today');
  expect(dayWords('2026-11-26', NOW)).toBe('on 2026-11-26');
});

test('numbers are as written; [P5] a cost that nobody metered is unknown, never 0', () => {
  expect(countText(1204)).toBe('1204');
  expect(countText(18_402_113)).toBe('18\u{202f}402\u{202f}113');
  expect(counted(1, 'process', 'processes')).toBe('1 process');
  expect(costText(null)).toBe('unknown');
  expect([costText(0), costText(1_840.5), costText(0.1 + 0.2)]).toEqual(['0', '1840.5', '0.3']);
  expect([sizeText(900), sizeText(91_223), sizeText(1_834_211)]).toEqual(['900 bytes', '91 kB', '1.8 MB']);
  expect(cutMiddle('0123456789', 5)).toBe('01…89');
  expect(cutMiddle('short', 5)).toBe('short');
});

test('what would hide, reorder or overwrite text is shown for what it is', () => {
  expect(visibleLine('a\u{202e}b')).toBe('a⟨U+202E⟩b');
  expect(visibleLine('bell\u{7} esc\u{1b}[31m')).toBe('bell⟨U+0007⟩ esc⟨U+001B⟩[31m');
  expect(visibleLine('zero\u{200b}width \u{feff}\u{2028}')).toBe('zero⟨U+200B⟩width ⟨U+FEFF⟩⟨U+2028⟩');
  expect(visibleLine('two\nlines\tand a tab')).toBe('two↵lines→and a tab');
  expect(visibleBlock('two\nlines\tand\r')).toBe('two\nlines\tand⟨U+000D⟩');
  expect(visibleLine('half \u{d800} pair')).toBe('half ⟨U+D800⟩ pair');
  expect(visibleLine('👩‍🚀 é 漢字')).toBe('👩‍🚀 é 漢字');
});

test('JSON is broken into lines with every token as written', () => {
  expect(jsonLines('{"a":[1,2.50,{}],"b":"x,\\"{y"}')).toBe(
    '{\n  "a": [\n    1,\n    2.50,\n    {}\n  ],\n  "b": "x,\\"{y"\n}',
  );
  expect(jsonLines('{"n":123456789012345678901234567890,"x":NaN}')).toContain(
    '123456789012345678901234567890',
  );
  expect(jsonLines('{"cut": "in the mid')).toBe('{\n  "cut": "in the mid');
});

test('JSON in lines is the same JSON', () => {
  assert(
    property(json(), (text) => {
      expect(JSON.parse(jsonLines(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('text that is not JSON keeps all its characters but the blanks between them', () => {
  const solid = (text: string): string => text.replace(/[ \n\r\t]/g, '');
  assert(
    property(string(), (text) => {
      expect(solid(jsonLines(text))).toBe(solid(text));
    }),
  );
});

test('a result must be JSON; its problem is said', () => {
  expect(jsonProblem('{"a":1}')).toBeNull();
  expect(jsonProblem(' ')).toBe('Nothing entered.');
  expect(jsonProblem('{')).toMatch(/JSON/);
  // Who means a text is shown how it is written.
  expect(jsonProblem(' all is well ')).toMatch(/stands in quotes: "all is well"$/);
  expect(jsonProblem('a: [1]')).not.toMatch(/quotes/);
});

test('every state has a shape, a colour and a word of its own', () => {
  const looks = LIFECYCLE_STATES.map(lookOf);
  expect(new Set(looks.map(({ shape }) => shape)).size).toBe(looks.length);
  expect(new Set(looks.map(({ word }) => word)).size).toBe(looks.length);
  expect(lookOf('hiber\u{202e}nating')).toMatchObject({ shape: 'hatched', word: 'hiber⟨U+202E⟩nating' });
});

test('[S41] what nobody runs is what its journal last said, never the state itself', () => {
  const row = rowOf({ live: false, state: 'running', lastEntryAt: before(3 * DAY) });
  expect(shownState(row, null, NOW)).toMatchObject({
    text: 'last recorded: Running, 3 d ago',
    shape: 'record',
    hue: 'neutral',
  });
});

test('what was asked for is shown as asked for, not as done', () => {
  expect(shownState(rowOf(), { word: 'Suspending', forMs: 2_400 }, NOW).text).toBe('Suspending (you, 2 s)');
  expect(shownState(rowOf(), null, NOW).text).toBe('Running');
  expect(shownState(rowOf({ state: 'stopping', stateSince: before(8_000) }), null, NOW).text).toBe(
    'Stopping · 8 s',
  );
});

test('an awaiting process says what for with its state', () => {
  const row = rowOf({ state: 'awaiting', why: 'waiting for promise approve\u{202e}, until 14:05 UTC' });
  expect(shownState(row, null, NOW)).toMatchObject({
    shape: 'quarter',
    hue: 'primary',
    text: 'Awaiting · promise approve⟨U+202E⟩, until 14:05 UTC',
  });
  expect(shownState(rowOf({ state: 'awaiting', why: '' }), null, NOW).text).toBe('Awaiting');
  expect(shownState({ ...row, live: false }, null, NOW).text).toMatch(/^last recorded: Awaiting/);
});

test('the ends of an effect and the standings of an invocation each have a shape and a word of their own', () => {
  const ends = (['open', 'done', 'did_not_happen', 'in_doubt'] as const).map((end) =>
    endLook({ end, needsOperator: false }),
  );
  expect(new Set(ends.map(({ shape }) => shape)).size).toBe(ends.length);
  const standings = (['running', 'ready', 'waiting', 'backing-off', 'in-doubt'] as const).map(standingLook);
  expect(new Set(standings.map(({ shape }) => shape)).size).toBe(standings.length);
  expect(new Set(standings.map(({ word }) => word)).size).toBe(standings.length);
  // Without an outcome and with nobody performing it, it is in doubt.
  expect(endLook({ end: 'open', needsOperator: true }).word).toBe('In doubt');
});
