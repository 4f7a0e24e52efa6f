// The examples, run as a reader would run them: each ends by itself, and says what its header promises.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startNode } from '../support/child.ts';
import { REPOSITORY } from '../support/fixtures.ts';

const EXAMPLES: readonly (readonly [string, readonly string[]])[] = [
  [
    'effects',
    [
      'held: did "call the customer" happen? you say: yes, reached after all',
      'ended: 5, parcel 17, reached after all',
      // Repeated, since that is harmless; all others happened once, although the worker was killed behind each.
      'world: the price was read',
      'world: the price was read',
      'world: charged 5',
      'world: a parcel was sent',
      'world: the customer was called',
    ],
  ],
  ['reconciler', ['ended: 8 bytes', 'there: 8 bytes', 'world: the prices were written, attempt 1']],
  [
    'approval',
    [
      'awaiting "refund" {"amount":120}, and no worker runs',
      'the host is gone',
      'another host: awaiting',
      'ended: refunded',
      'world: a mail asks for approval',
      'world: 120 were refunded, approved by Ada',
    ],
  ],
  [
    'timer',
    [
      'awaiting the end of the trial',
      'the host is gone',
      'another host, after the timer was due: reminded',
      'world: a welcome mail was sent',
      'world: a reminder was sent',
    ],
  ],
  [
    'signal-and-query',
    [
      'basket: ["bread","salt"]',
      'its worker was killed',
      'basket: ["bread","salt"]',
      'ended: ordered bread, salt',
    ],
  ],
  [
    'saga',
    [
      'ended: no trip: book car: no cars left',
      'workers it took: 2',
      'world: booked flight',
      'world: booked hotel',
      'world: cancelled hotel',
      'world: cancelled flight',
    ],
  ],
];

test.each(EXAMPLES)('%s', async (name, lines) => {
  const ended = await startNode(join(REPOSITORY, `resources/examples/${name}.ts`), []).ended;
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(ended.stdout.trimEnd().split('\n')).toEqual(lines);
});
