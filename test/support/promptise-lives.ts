// What the real Promptise is told to write, at random: appends and checkpoints, some of them killed between the file and
// the line.

import fc from 'fast-check';
import type { Json, JsonObject } from '../../core/model/json.ts';
import { checkpointState, entryDraft } from './foreign-entries.ts';
import type { DifferenceKind } from './promptise-answers.ts';

type Step = readonly ['append', Json, Json] | readonly ['checkpoint' | 'killed', JsonObject];

export interface PromptiseLife {
  readonly steps: readonly Step[];
  /** What it would have to be told for Promptise to see what ours sees; null for the same. */
  readonly mended: readonly Step[] | null;
  readonly kinds: readonly DifferenceKind[];
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: entryDraft
      .filter(({ entry_type }) => entry_type !== 'checkpoint')
      .map(({ entry_type, data }): Step => ['append', entry_type, data]),
  },
  { weight: 3, arbitrary: checkpointState.map((state): Step => ['checkpoint', state]) },
  { weight: 1, arbitrary: checkpointState.map((state): Step => ['killed', state]) },
);

export const lifeInPromptise: fc.Arbitrary<PromptiseLife> = fc
  .tuple(
    fc.array(step, { minLength: 1, maxLength: 14, size: 'max' }),
    // A process says that it starts before it does anything else, so there always is a file of entries.
    fc.constant<Step>(['append', 'state_transition', { from_state: 'created', to_state: 'starting' }]),
  )
  .map(([rest, first]) => {
    const steps = [first, ...rest];
    const last = steps.findLast(([does]) => does !== 'append');
    if (last?.[0] !== 'killed') return { steps, mended: null, kinds: [] };
    // The file is ahead of every line, so nothing in the journal comes after it [S19].
    return { steps, mended: [...steps, ['checkpoint', last[1]]], kinds: ['checkpoint-file-ahead'] };
  });
