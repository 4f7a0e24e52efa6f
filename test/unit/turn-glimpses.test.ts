// What is shown of a model while it speaks: the end of it, in whole words, however much it says.

import { expect, test, vi } from 'vitest';
import { glimpsesOf } from '../../core/agent/llm/glimpses.ts';
import { waitFor } from '../support/wait-for.ts';

test('an answer of a thousand calls with names without end is shown by its end, and takes no time', async () => {
  const show = vi.fn<(saying: { readonly text: string } | null) => void>();
  const glimpses = glimpsesOf(show);
  glimpses.of('m');
  for (let at = 0; at < 1_000; at += 1) {
    glimpses.see({ kind: 'tool', id: String(at), name: `${at}-${'n'.repeat(100_000)}` });
  }
  await waitFor(() => show.mock.lastCall?.[0]?.text !== '' && show.mock.calls.length > 0, { what: 'it' });
  expect(show.mock.lastCall![0]!.text).toMatch(/^[\d-]{0,4}n{1990,2000} $/);
  glimpses.end();
  expect(show.mock.lastCall![0]).toBeNull();
});

test('half of a word is not shown: it may be half of a secret', async () => {
  const show = vi.fn<(saying: { readonly text: string } | null) => void>();
  const glimpses = glimpsesOf(show);
  glimpses.of('m');
  glimpses.see({ kind: 'text', text: 'the key is sk-te' });
  await waitFor(() => show.mock.lastCall?.[0]?.text, { what: 'it' });
  expect(show.mock.lastCall![0]!.text).toBe('the key is ');
  glimpses.end();
});
