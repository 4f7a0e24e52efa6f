// @vitest-environment jsdom
// A key that was meant for one thing must not press another that has the focus by the time it is up.
import { Button } from '@blueprintjs/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { onlyWholePresses } from '../../renderer/ui/whole-presses.ts';

let clicks = 0;
beforeAll(() => onlyWholePresses(document));
beforeEach(() => {
  clicks = 0;
  const click = (): void => void (clicks += 1);
  render(
    <>
      <textarea aria-label="Reason" />
      <Button onClick={click}>Resume</Button>
    </>,
  );
});
afterEach(cleanup);

const reason = (): HTMLElement => screen.getByLabelText('Reason');
const button = (): HTMLElement => screen.getByRole('button');

test.each(['Enter', ' '])(
  '[P7] an answer by %j presses nothing that has the focus when the key is up',
  (key) => {
    fireEvent.keyDown(reason(), { key, ctrlKey: true });
    // The dialog is gone, and the focus is back where it was.
    fireEvent.keyUp(button(), { key, ctrlKey: true });
    expect(clicks).toBe(0);
  },
);

test('[P7] a key that is held presses nothing that gets the focus meanwhile', () => {
  fireEvent.keyDown(reason(), { key: 'Enter' });
  // Not prevented, a plain button is clicked by it.
  expect(fireEvent.keyDown(button(), { key: 'Enter', repeat: true })).toBe(false);
  fireEvent.keyUp(button(), { key: 'Enter' });
  expect(clicks).toBe(0);
});

test('[P7] a key that went down in another window presses nothing here', () => {
  fireEvent.keyUp(button(), { key: 'Enter' });
  expect(clicks).toBe(0);
  fireEvent.keyDown(button(), { key: 'Enter' });
  fireEvent.blur(window);
  fireEvent.keyUp(button(), { key: 'Enter' });
  expect(clicks).toBe(0);
});

test('a whole press counts, each time', () => {
  for (const key of ['Enter', ' ', 'Enter']) {
    fireEvent.keyDown(button(), { key });
    fireEvent.keyUp(button(), { key });
  }
  expect(clicks).toBe(3);
  fireEvent.keyDown(reason(), { key: 'a' });
  expect(fireEvent.keyDown(reason(), { key: 'a', repeat: true })).toBe(true);
});
