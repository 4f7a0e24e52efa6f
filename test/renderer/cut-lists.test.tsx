// @vitest-environment jsdom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { consequencesOf } from '../../renderer/features/actions/consequences.tsx';
import { isPlainResume } from '../../renderer/stores/questions.ts';
import {
  deadLetterOf,
  detailOf,
  doubtOf,
  effectOf,
  invocationOf,
  previewOf,
  queuedOf,
  rowOf,
  triggerOf,
  waitOf,
} from './fixtures.ts';
import { region, shown, stopClock, tab } from './process-page.ts';

stopClock();

test('each list that is cut says so at its head and at its end', async () => {
  const counts = { context: 700, open: 340, promises: 120, deadLetters: 140, triggers: 341 };
  const open = [
    invocationOf({
      standing: 'waiting',
      waits: [waitOf()],
      effects: [effectOf({ end: 'done', needsOperator: false })],
      effectCount: 12,
    }),
  ];
  await shown(
    { counts, open, triggers: [triggerOf()], deadLetters: [deadLetterOf()], queue: [queuedOf()] },
    rowOf({ queued: 200 }),
  );
  expect(region('Waiting for somebody').getByText('Showing 1 of 120 promises.')).toBeTruthy();
  expect(region('Waiting for somebody').getByText(/^120 promises/)).toBeTruthy();
  expect(region('Under way').getByText('Showing 1 of 340 invocations.')).toBeTruthy();
  await tab('State');
  expect(screen.getByText('Showing 3 of 700 keys.')).toBeTruthy();
  await tab('Effects');
  expect(screen.getByText(/1 of 12 effects are shown.*1 of 340 open invocations are shown/)).toBeTruthy();
  await tab(/^Triggers & queue/);
  for (const [name, of, what] of [
    ['Triggers', 341, 'triggers'],
    ['Queue', 200, 'events'],
    ['Invocations', 340, 'invocations'],
    ['Dead letters', 140, 'dead letters, the newest'],
  ] as const) {
    expect(region(name).getByText(`1 of ${of} shown`)).toBeTruthy();
    expect(region(name).getByText(`Showing 1 of ${of} ${what}.`)).toBeTruthy();
  }
});

test('a list that is whole says nothing of it', async () => {
  await shown(
    { open: [invocationOf()], deadLetters: [deadLetterOf()], queue: [queuedOf()] },
    rowOf({ queued: 1 }),
  );
  await tab(/^Triggers & queue/);
  expect(screen.queryByText(/shown$|^Showing/)).toBeNull();
});

test('[P5] what a kill would meet is at least what is listed', () => {
  const effects = [effectOf({ end: 'done', needsOperator: false })];
  const detail = detailOf(rowOf(), { open: [invocationOf({ effects, effectCount: 900 })] });
  expect(consequencesOf(detail)).toContain(
    'At least 1 effect with a recorded outcome is read back, not repeated.',
  );
});

test('[S28] a resume whose doubts are not all listed is a question', () => {
  const doubts = [doubtOf({ next: 'performed again' })];
  expect(isPlainResume(previewOf({ doubts }))).toBe(true);
  expect(isPlainResume(previewOf({ doubts, doubtCount: 2 }))).toBe(false);
});
