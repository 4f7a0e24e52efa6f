// A memory whose manifest says nothing but that there is one is Promptise's: the same names, and the same defaults.

import { beforeEach, expect, test } from 'vitest';
import { MEMORY_PLAN } from '../support/memories.ts';
import { needPromptise } from './ask-promptise.ts';
import { runPython } from './promptise.ts';

beforeEach(needPromptise);

test('its fields are all known, and their defaults are the same', { timeout: 120_000 }, async () => {
  const theirs = JSON.parse(await runPython('memory_defaults.py', [])) as unknown;
  const { collection, directory, userId, isStoredByItself, max, minScore, timeoutMs } = MEMORY_PLAN;
  expect(theirs).toEqual({
    memory_provider: null,
    memory_max: max,
    memory_min_score: minScore,
    memory_timeout: timeoutMs / 1_000,
    memory_auto_store: isStoredByItself,
    memory_collection: collection,
    memory_persist_directory: directory,
    memory_user_id: userId,
  });
});
