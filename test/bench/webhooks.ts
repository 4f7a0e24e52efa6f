// Webhooks from many connections while the host is killed again and again: what was accepted is in the journal and handled
// once, and what was refused is neither.

import { freePort } from '../support/webhooks.ts';
import { webhookStorm } from '../support/webhook-storm.ts';
import { describeMachine } from './machine.ts';
import { atLeast, atMost, measured, type BenchResult, type Judgement } from './result.ts';
import { say, sized } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const ACCEPTED = sized(50_000, 100);
const CONNECTIONS = sized(50, 4);
const KILLS = sized(10, 1);
const SHOWN = 20;

export async function run(): Promise<BenchResult> {
  const at = new Date().toISOString();
  using work = workDirectory();
  const tally = await webhookStorm({
    directory: work.path,
    port: await freePort(),
    accepted: ACCEPTED,
    connections: CONNECTIONS,
    kills: KILLS,
    say,
  });
  for (const problem of tally.problems.slice(0, SHOWN)) say(problem);
  const once = (name: string, value: number, unit: string, judgement: Judgement = {}) =>
    measured(name, [value], unit, judgement);
  return {
    bench: 'webhooks',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      once('accepted', tally.accepted, 'events', { target: atLeast(ACCEPTED) }),
      once('refused', tally.refused, 'requests'),
      once('without an answer', tally.unanswered, 'requests'),
      once('in the journal', tally.events, 'events'),
      once('accepted in a second, kills and recoveries included', tally.accepted / tally.posting, 'events/s'),
      once('kills of the host', tally.kills, 'kills', { target: atLeast(KILLS) }),
      once(
        'lost, doubled, handled twice or not at all, accepted though refused',
        tally.problems.length,
        'times',
        {
          target: atMost(0),
        },
      ),
    ],
  };
}
