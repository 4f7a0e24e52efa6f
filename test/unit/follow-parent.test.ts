// What a process does because of the one that began it, from how both stand.

import { expect, test } from 'vitest';
import { HOLD_KINDS, type Hold, type HoldKind } from '../../core/model/holds.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { followerOf, followStep } from '../../core/runtime/follow-parent.ts';

type Stands = Pick<ProcessSnapshot, 'lifecycle' | 'holds' | 'lifecycleActor'>;

const held = (kind: HoldKind, actor = 'operator:ann'): Hold => ({ kind, reason: '', actor, since: '' });
const stands = (lifecycle: Stands['lifecycle'], over: Partial<Stands> = {}): Stands => ({
  lifecycle,
  holds: [],
  lifecycleActor: 'operator:ann',
  ...over,
});
const step = (parent: Stands, child: Stands) => followStep('clerk', parent, child);
const ours = followerOf('clerk');

test('it is held by what concerns all that its parent began, and by nothing else', () => {
  const holding = HOLD_KINDS.filter(
    (kind) => step(stands('suspended', { holds: [held(kind)] }), stands('running')) === 'suspend',
  );
  expect(holding).toEqual(['operator', 'health', 'mission', 'gap']);
});

test.each<[string, Stands, Stands, ReturnType<typeof followStep>]>([
  ['held where its parent has failed', stands('failed'), stands('awaiting'), 'suspend'],
  ['not held twice', stands('failed'), stands('suspended', { holds: [held('operator')] }), null],
  ['stopped with it', stands('stopped'), stands('suspended', { holds: [held('operator')] }), 'stop'],
  ['stopped with it though it has failed', stands('stopping'), stands('failed'), 'stop'],
  [
    'resumed where its parent held it',
    stands('running'),
    stands('suspended', { holds: [held('operator', ours)] }),
    'resume',
  ],
  ['left as somebody held it', stands('running'), stands('suspended', { holds: [held('operator')] }), null],
  [
    'started where it was stopped with it',
    stands('awaiting'),
    stands('stopped', { lifecycleActor: ours }),
    'start',
  ],
  ['left as somebody stopped it', stands('running'), stands('stopped'), null],
  [
    'left alone while its parent begins',
    stands('starting'),
    stands('stopped', { lifecycleActor: ours }),
    null,
  ],
])('it is %s', (_, parent, child, expected) => {
  expect(step(parent, child)).toBe(expected);
});
