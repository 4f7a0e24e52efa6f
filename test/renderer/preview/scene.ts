// What the pages of the browser test show: a fleet with something of everything, hostile text included.

import type { FleetView, ProcessDetail, ProcessRow, TimelineRow } from '../../../core/contract/views.ts';
import {
  before,
  DAY,
  detailOf,
  effectOf,
  entryOf,
  fleetOf,
  HOUR,
  journalOf,
  MINUTE,
  rowOf,
} from '../fixtures.ts';

const nothingRan: ProcessRow['health'] = { sample: 0, failures: 0, runs: [], verdict: 'unknown' };
const noLimit = { day: '2026-11-29', runs: 1, maxRunsPerDay: null, cost: null };

const ROWS: readonly ProcessRow[] = [
  rowOf({ description: 'Watches tickers', why: 'tool `browser` for 4 m (usually 20 s)', tone: 'working' }),
  rowOf({
    name: 'invoice-clerk',
    state: 'suspended',
    stateSince: before(3 * MINUTE),
    why: 'in doubt: charge_card',
    tone: 'attention',
    doubts: 1,
    worker: null,
    actions: ['resume', 'stop', 'force-recover'],
  }),
  rowOf({
    name: 'mail-triage',
    state: 'failed',
    why: 'same error as the last 6',
    tone: 'alarm',
    budget: { day: '2026-11-29', runs: 50, maxRunsPerDay: 50, cost: 4.1 },
    health: { sample: 4, failures: 3, runs: [true, false, false, false], verdict: 'failing' },
    worker: null,
    actions: ['start', 'force-recover'],
  }),
  rowOf({ name: 'nightly-report', state: 'awaiting', budget: noLimit, actions: ['suspend'] }),
  rowOf({
    name: 'release-notes',
    state: 'starting',
    stateSince: before(3_000),
    health: nothingRan,
    actions: [],
  }),
  rowOf({ name: 'brand-new', state: 'created', stateSince: null, lastEntryAt: null, health: nothingRan }),
  rowOf({ name: 'evil \u{202e}txt.exe\u{7}<b>', state: 'hibernating', why: '<img src=x onerror=alert(1)>' }),
  rowOf({ journalId: 'j-sent', live: false, lastEntryAt: before(3 * DAY), worker: null, actions: [] }),
];

export const FLEET: FleetView = fleetOf(ROWS, {
  journals: [
    journalOf(),
    journalOf({ id: 'j-sent', title: 'From Ben', access: 'read-only', format: 'promptise', badLines: 2 }),
  ],
});

export function detailIn(journalId: string, process: string): ProcessDetail | null {
  const row = ROWS.find((one) => one.journalId === journalId && one.name === process);
  if (row === undefined) return null;
  if (row.state === 'failed') {
    return detailOf(row, {
      lastError: { code: 'mailbox.auth-rejected', message: 'The password was refused.', at: before(HOUR) },
    });
  }
  if (row.doubts === 0) return detailOf(row);
  return detailOf(row, {
    holds: [{ kind: 'in_doubt', reason: 'charge_card', actor: 'host', since: before(MINUTE) }],
    queue: [{ eventId: 'ev-42', triggerId: 'cron-0', acceptedAt: before(MINUTE) }],
    open: [
      {
        eventId: 'ev-41',
        invocation: 41,
        attempt: 1,
        triggerId: 'cron-0',
        triggerType: 'cron',
        startedAt: before(4 * MINUTE),
        effects: [effectOf(), effectOf({ effectId: 'f', name: 'fetch', end: 'done', needsOperator: false })],
      },
    ],
  });
}

const bad = {
  verification: 'unreadable',
  type: '',
  tone: 'alarm',
  summary: 'not JSON',
  dataText: 'not JSON',
} as const;

export const ENTRIES: readonly TimelineRow[] = [
  entryOf(1204, { eventId: 'e', type: 'invocation_result', summary: 'done' }),
  entryOf(1203, { eventId: 'e', type: 'effect_started', tone: 'working' }),
  entryOf(1202, { type: 'hold_placed', tone: 'attention', summary: 'in doubt: charge_card' }),
  entryOf(1201, bad),
  entryOf(1200, { type: 'error', tone: 'alarm', verification: 'broken', dataText: '{"evil":"\u{202e}gnp"}' }),
];
