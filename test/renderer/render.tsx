import { act, cleanup, configure, render, screen } from '@testing-library/react';
import { afterEach } from 'vitest';
import { App } from '../../renderer/app/app.tsx';
import { NOW } from './fixtures.ts';
import { testConsole, type MemoryHost, type TestConsole } from './memory-client.ts';

// What jsdom has not, and the widgets ask for when they appear.
class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizeObserver;
if (!('scrollIntoView' in Element.prototype)) {
  Object.assign(Element.prototype, { scrollIntoView: () => undefined });
}

// What is loaded on demand may take a while on a busy machine.
configure({ asyncUtilTimeout: 40_000 });

let current: TestConsole | null = null;

afterEach(() => {
  cleanup();
  current?.dispose();
  current = null;
});

/** The whole console over a host in memory. */
export async function show(host: MemoryHost, hash = '#/'): Promise<TestConsole> {
  const console = testConsole(host, NOW, hash);
  current = console;
  render(<App console={console} />);
  await settle();
  return console;
}

/** Lets every answer that is due arrive and be drawn. */
export async function settle(): Promise<void> {
  await act(async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  });
}

/** The row of the fleet with this name. */
export const rowNamed = (name: string): HTMLElement => screen.getByRole('row', { name });
