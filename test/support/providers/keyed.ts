// What an API does that takes an Idempotency-Key: the same key is done once, is answered as before, and is refused while it
// is in progress.

import type { Act, ProviderAnswer } from './provider-server.ts';

export interface Keyed {
  /** Requests under a key that was known or in progress. */
  readonly repeats: string[];
  readonly isInProgress: (key: string) => boolean;
  readonly do: (key: string, act: Act, commit: () => ProviderAnswer) => Promise<ProviderAnswer>;
}

export function keyed(): Keyed {
  const inProgress = new Set<string>();
  const answers = new Map<string, ProviderAnswer>();
  const repeats: string[] = [];
  return {
    repeats,
    isInProgress: (key) => inProgress.has(key),
    do: async (key, act, commit) => {
      const known = answers.get(key);
      if (known !== undefined || inProgress.has(key)) repeats.push(key);
      if (known !== undefined) return { ...known, headers: { 'idempotent-replayed': 'true' } };
      if (inProgress.has(key)) return { status: 409, body: { error: { type: 'idempotency_error' } } };
      inProgress.add(key);
      return act(() => {
        const answer = commit();
        answers.set(key, answer);
        inProgress.delete(key);
        return answer;
      });
    },
  };
}
