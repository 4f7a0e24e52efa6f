// Whatever happens to runs and their effects, and to the journal that tells of it: what is counted is what every single
// booking adds up to, and whatever is asked about before it is done passes no limit; what a model used, none by more than
// was shown before.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Life, step } from './budget-life.ts';

test.each([false, true])(
  '[P3] [P4] [C2] [C18] [S17] [S33] [S39] [S40] whatever happens, what is used and reserved is what every single booking adds up to, and no limit is passed by more than was shown before (granted more: %s)',
  { timeout: 120_000 },
  (isGranted) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 160, size: 'max' }), (steps) => {
        const life = new Life(isGranted);
        for (const each of steps) {
          life.take(each);
          expect(life.wrong()).toBeNull();
        }
        expect(life.isFoldedAlike()).toBe(true);
      }),
      { numRuns: 120 },
    );
  },
);
