// The page of the process market-watcher over a host in memory, and the hands of the one who operates it.

import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { detailOf, fleetOf, NOW, rowOf } from './fixtures.ts';
import { memoryHost, ok, type MemoryHost } from './memory-client.ts';
import { settle, show } from './render.tsx';

export const HASH = '#/j-demo/market-watcher';

/** What a command answers that was carried out. */
export const done = { state: 'running', message: 'Done.' };

/** It is NOW throughout every test of the file. */
export function stopClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** A host of that one process. */
export function hostOf(row: ProcessRow = rowOf(), over: Partial<ProcessDetail> = {}): MemoryHost {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([row])));
  host.answer('processes.read', () => ok(detailOf(row, over)));
  return host;
}

/** Opens the page, with no output of workers. */
export async function shown(over: Partial<ProcessDetail> = {}, row?: ProcessRow): Promise<MemoryHost> {
  const host = hostOf(row, over);
  host.answer('output.read', () => ok({ lines: [], before: null }));
  await show(host, HASH);
  return host;
}

export const dialog = () => within(screen.getByRole('alertdialog'));
export const region = (name: string) => within(screen.getByRole('region', { name }));

export async function tab(name: string | RegExp): Promise<void> {
  fireEvent.click(screen.getByRole('tab', { name }));
  await settle();
}

export async function pressed(
  name: string | RegExp,
  where: Pick<typeof screen, 'getByRole'> = screen,
): Promise<void> {
  fireEvent.click(where.getByRole('button', { name }));
  await settle();
}

/** Writes into a field of the question that is open. */
export function enter(label: string, value: string): void {
  fireEvent.change(dialog().getByLabelText(label), { target: { value } });
}
