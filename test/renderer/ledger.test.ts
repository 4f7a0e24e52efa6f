import { expect, test } from 'vitest';
import { stepFor } from '../../renderer/features/process/effect-grid.tsx';
import { countEnds, ledgerOf } from '../../renderer/features/process/ledger.ts';
import { before, effectOf, entryOf, invocationOf } from './fixtures.ts';

const started = (seq: number, id: string, more = '') =>
  entryOf(seq, {
    eventId: 'ev-9',
    type: 'effect_started',
    dataText: `{"event_id":"ev-9","effect_id":"${id}","name":"notify","class":"ask","key":"k-${id}","args_preview":"{\\"end\\":1}","attempt":2${more}}`,
  });
const finished = (seq: number, id: string, end: string, error = '') =>
  entryOf(seq, {
    eventId: 'ev-9',
    type: 'effect_finished',
    dataText: `{"event_id":"ev-9","effect_id":"${id}","end":"${end}","error":"${error}","result":{"end":"x"}}`,
  });

test('open invocations come first, newest effect first, then what the journal tells of others', () => {
  const open = [
    invocationOf({
      effects: [
        effectOf({ effectId: 'old', announcedAt: before(9_000) }),
        effectOf({ effectId: 'new', announcedAt: before(1_000) }),
      ],
    }),
  ];
  const ledger = ledgerOf(open, [finished(7, 'ev-9/notify#0', 'done'), started(6, 'ev-9/notify#0')]);
  expect(ledger.map(({ effectId }) => effectId)).toEqual(['new', 'old', 'ev-9/notify#0']);
  expect(ledger[2]).toMatchObject({
    name: 'notify',
    effectClass: 'ask',
    key: 'k-ev-9/notify#0',
    argsPreview: '{"end":1}',
    attempts: 2,
    end: 'done',
    open: null,
  });
});

test('what the host tells of an open invocation is not told a second time from the timeline', () => {
  const open = [invocationOf({ eventId: 'ev-9', effects: [effectOf({ effectId: 'ev-9/a#0' })] })];
  expect(ledgerOf(open, [started(6, 'ev-9/a#0'), started(5, 'ev-9/b#0')])).toHaveLength(1);
});

test('[P5] an announcement that was not read is unknown, not empty', () => {
  const [effect] = ledgerOf([], [finished(7, 'ev-9/send mail#3', 'did_not_happen', 'refused')]);
  expect(effect).toMatchObject({
    name: 'send mail',
    end: 'did_not_happen',
    error: 'refused',
    key: null,
    attempts: null,
    announcedAt: null,
  });
});

test('[S28] without an outcome, and its invocation over, it is in doubt; an operator’s word ends that', () => {
  const id = 'ev-9/notify#0';
  expect(ledgerOf([], [started(6, id)])[0]?.end).toBe('in_doubt');
  const word = (resolution: string) =>
    entryOf(8, {
      type: 'effect_resolved',
      dataText: `{"effect_id":"${id}","resolution":"${resolution}","reason":"not there"}`,
    });
  expect(ledgerOf([], [word('skip'), started(6, id)])[0]?.end).toBe('done');
  expect(ledgerOf([], [word('did_not_happen'), started(6, id)])[0]).toMatchObject({
    end: 'did_not_happen',
    error: 'not there',
  });
  // It is performed again after that.
  expect(
    ledgerOf([], [finished(10, id, 'done'), started(9, id), word('did_not_happen'), started(6, id)]),
  ).toMatchObject([{ end: 'done' }]);
});

test('an entry that the host cut, or that holds nonsense, gives what can be read of it', () => {
  const cut = entryOf(7, {
    type: 'effect_finished',
    dataText: '{"event_id":"ev-9","effect_id":"ev-9/a#0","end":"done","result":"aaaa',
    cut: true,
  });
  expect(ledgerOf([], [cut])[0]).toMatchObject({ name: 'a', end: 'done' });
  expect(ledgerOf([], [entryOf(7, { type: 'effect_finished', dataText: '{"effect_id":"\\uZZ"}' })])).toEqual(
    [],
  );
  expect(ledgerOf([], [entryOf(7, { type: 'log', dataText: '{"effect_id":"a"}' })])).toEqual([]);
});

test('ends are counted as they are shown', () => {
  const open = [
    invocationOf({
      effects: [
        effectOf({ effectId: 'a', end: 'open', needsOperator: true }),
        effectOf({ effectId: 'b', end: 'open', needsOperator: false }),
        effectOf({ effectId: 'c', end: 'done', needsOperator: false }),
      ],
    }),
  ];
  expect(countEnds(ledgerOf(open, []))).toEqual({ all: 3, open: 1, done: 1, did_not_happen: 0, in_doubt: 1 });
});

test('keys lead from effect to effect and stop at the ends; none of them does anything else', () => {
  expect(stepFor('j', 0, 3)).toBe(1);
  expect(stepFor('ArrowDown', 2, 3)).toBe(2);
  expect(stepFor('k', 0, 3)).toBe(0);
  expect(stepFor('G', 0, 3)).toBe(2);
  expect(stepFor('Home', 2, 3)).toBe(0);
  expect(stepFor('Delete', 1, 3)).toBeNull();
});
