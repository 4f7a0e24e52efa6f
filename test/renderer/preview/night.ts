// A bad night: a full fleet, and one process in it that has everything wrong at once, in texts that are far too long.

import type { ToolsView } from '../../../core/contract/tools-view.ts';
import type { FleetView } from '../../../core/contract/fleet-views.ts';
import type { PreviewView } from '../../../core/contract/preview-view.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { RewindPlanView } from '../../../core/contract/rewind-views.ts';
import type { TimelineRow } from '../../../core/contract/timeline-views.ts';
import type { OutputLine } from '../../../core/contract/worker-views.ts';
import { ANOMALY_TYPES } from '../../../core/model/health.ts';
import {
  before,
  budgetOf,
  DAY,
  deadLetterOf,
  detailOf,
  detectorOf,
  doubtOf,
  effectOf,
  entryOf,
  fleetOf,
  HOUR,
  invocationOf,
  journalOf,
  limitOf,
  lineOf,
  MINUTE,
  missionOf,
  pauseOf,
  previewOf,
  queuedOf,
  rewindPlanOf,
  rowOf,
  settingOf,
  settingsOf,
  toolOf,
  toolServerOf,
  toolsOf,
  triggerOf,
  waitOf,
  webhookOf,
  verdictOf,
} from '../fixtures.ts';

export const LONG_NAME =
  'reconcile-supplier-invoices-against-bank-statements-for-the-northern-and-southern-subsidiaries-eu-west-production-replica-7';
const SENTENCE =
  'The upstream ledger refused the booking because its period was closed by somebody else while the request was under way, and it did not say which of the eleven lines it had taken. ';
export const LONG_TEXT = SENTENCE.repeat(14);
const LONG_WORD = 'ey'.repeat(400);
const LONG_JSON = JSON.stringify({
  invoice: 'INV-2041',
  token: LONG_WORD,
  lines: Array.from({ length: 40 }, (_, at) => ({ line: at, account: `4${at}00`, note: SENTENCE })),
});

const STATES = ['running', 'running', 'awaiting', 'suspended', 'failed', 'starting', 'stopped', 'stopping'];

/** All that can be limited, most of it passed by a manifest that allows less by now. */
const SPENT = budgetOf({
  runs: 1_204,
  maxRunsPerDay: 1_000,
  cost: 1_840.5,
  until: before(-11 * HOUR),
  limits: [
    limitOf({
      limit: 'max_tool_calls_per_run',
      scope: 'run',
      words: 'effects in a run',
      max: 10_000,
      spent: 9_200,
      reserved: 640,
    }),
    limitOf({ limit: 'max_cost_per_run', scope: 'run', words: 'cost of a run', max: 0.5, spent: 0.000_001 }),
    limitOf({
      limit: 'max_irreversible_per_run',
      scope: 'run',
      words: 'irreversible effects in a run',
      max: 0,
      spent: 0,
    }),
    limitOf({
      limit: 'max_tool_calls_per_day',
      words: 'effects in a day',
      max: 1_000_000_000,
      spent: 123_456_789,
      reserved: 1_000_000,
    }),
    limitOf({ limit: 'max_runs_per_day', words: 'runs in a day', max: 1_000, spent: 1_204 }),
    limitOf({
      limit: 'max_cost_per_day',
      words: 'cost of a day',
      max: 1_840.25,
      spent: 1_700.5,
      reserved: 140,
    }),
    limitOf({
      limit: 'max_irreversible_per_day',
      words: 'irreversible effects in a day',
      max: 3,
      spent: 1,
      reserved: 2,
    }),
  ],
  exceeded: {
    limit: 'max_cost_per_day',
    text: 'cost of a day: 1700.5 of 1840.25 used, 140 more under way, and 12.5 more is asked for (max_cost_per_day)',
    missing: 12.75,
  },
});

const worst = rowOf({
  name: LONG_NAME,
  description: LONG_TEXT,
  state: 'suspended',
  stateSince: before(9 * HOUR),
  why: LONG_TEXT,
  tone: 'attention',
  doubts: 9,
  waiting: { count: 612, mark: 'n' },
  queued: 5_231,
  restarts: 14,
  worker: { pid: 4_194_303, generation: 1_204 },
  budget: SPENT,
  health: {
    sample: 10,
    failures: 10,
    runs: Array.from({ length: 10 }, () => false),
    verdict: 'failing',
    anomalies: ANOMALY_TYPES.map((type) => ({ type, text: LONG_TEXT, at: before(9 * HOUR) })),
  },
});

const ROWS: readonly ProcessRow[] = [
  worst,
  ...Array.from({ length: 39 }, (_, at) =>
    rowOf({
      name: `agent-${String(at).padStart(2, '0')}`,
      state: STATES[at % STATES.length]!,
      why: at % 3 === 0 ? SENTENCE : '',
      tone: at % STATES.length === 4 ? 'alarm' : 'quiet',
      worker: at % 2 === 0 ? null : { pid: 4_000 + at, generation: at },
    }),
  ),
];

export const NIGHT: FleetView = fleetOf(ROWS, {
  journals: [journalOf({ triggersHeld: pauseOf({ reason: LONG_TEXT }) })],
});

export function nightDetail(process: string): ProcessDetail | null {
  const row = ROWS.find(({ name }) => name === process);
  if (row === undefined) return null;
  if (row === worst) return { ...worstDetail(), memory: { collection: LONG_NAME, userId: LONG_NAME } };
  return row.name === CROWDED ? crowdedDetail(row) : detailOf(row);
}

/** More of everything than a list has room for. */
const CROWDED = 'agent-01';

function crowdedDetail(row: ProcessRow): ProcessDetail {
  const paused = pauseOf({ reason: 'Too many calls', at: before(20 * MINUTE) });
  const problem = {
    code: 'trigger.port-taken',
    message:
      'Port 9090 of 127.0.0.1 is in use by another program. End that program, or give it another port.',
    at: before(4 * MINUTE),
  };
  return detailOf(
    { ...row, queued: 200 },
    {
      counts: { context: 3, open: 340, promises: 0, deadLetters: 140, triggers: 340 },
      triggers: Array.from({ length: 100 }, (_, at) =>
        at % 5 === 1
          ? webhookOf({
              id: `webhook-9090/orders/${at}`,
              address: at === 6 ? null : `http://127.0.0.1:9090/orders/${at}`,
              description: `POST 127.0.0.1:9090/orders/${at}`,
              ...(at === 6 ? { problem } : {}),
            })
          : triggerOf({
              id: `cron-${String(at).padStart(8, '0')}`,
              description: `${at % 60} * * * * (UTC)`,
              missed: at % 7 === 0 ? at * 11 : 0,
              ...(at % 9 === 3 ? { paused, next: null } : {}),
            }),
      ),
      queue: Array.from({ length: 100 }, (_, at) =>
        queuedOf({ eventId: `0198f3ae-77aa-7000-8000-${String(at).padStart(12, '0')}`, missed: at % 4 }),
      ),
      open: Array.from({ length: 100 }, (_, at) =>
        invocationOf({ eventId: `ev-${at}`, invocation: at, standing: at % 3 === 0 ? 'running' : 'ready' }),
      ),
      deadLetters: Array.from({ length: 100 }, (_, at) =>
        deadLetterOf({
          eventId: `0198f3ae-77aa-7000-8000-${String(at).padStart(12, '0')}`,
          doneEffects: at % 3,
        }),
      ),
    },
  );
}

function worstDetail(): ProcessDetail {
  return detailOf(worst, {
    detectors: ANOMALY_TYPES.map((type) =>
      detectorOf({
        type,
        state: 'found',
        last: { description: LONG_TEXT, at: before(9 * HOUR), action: 'pause', overAt: null },
        coolsUntil: before(-HOUR),
      }),
    ),
    settings: settingsOf({
      changed: [
        settingOf({
          path: `budget.tool_costs.${LONG_WORD}.cost_weight`,
          valueText: LONG_WORD,
          reason: LONG_TEXT,
        }),
      ],
      changedCount: 140,
    }),
    reason: LONG_TEXT,
    actor: `operator:${LONG_WORD.slice(0, 120)}`,
    holds: [
      { kind: 'budget', reason: SPENT.exceeded!.text, actor: 'host', since: before(HOUR) },
      { kind: 'in_doubt', reason: LONG_TEXT, actor: 'host', since: before(9 * HOUR) },
      { kind: 'operator', reason: 'Wrong results', actor: 'operator:ann', since: before(2 * DAY) },
      { kind: 'lunar', reason: '', actor: '', since: before(MINUTE) },
    ],
    context: [
      { key: `k${LONG_WORD}`, text: '1', cut: false },
      { key: 'ledger', text: LONG_JSON, cut: true },
      { key: 'note', text: JSON.stringify(LONG_TEXT), cut: false },
      ...Array.from({ length: 30 }, (_, at) => ({ key: `key_${at}`, text: `${at}`, cut: false })),
    ],
    counts: { context: 1_204, open: 2, promises: 6, deadLetters: 12_044, triggers: 340 },
    open: [
      invocationOf({
        eventId: LONG_WORD.slice(0, 200),
        triggerId: LONG_NAME,
        standing: 'in-doubt',
        effects: Array.from({ length: 9 }, (_, at) =>
          effectOf({
            effectId: `d${at}`,
            name: at === 0 ? LONG_NAME.replaceAll('-', '_') : `charge_card_${at}`,
            key: LONG_WORD.slice(0, 300),
            argsPreview: at % 2 === 0 ? LONG_JSON : '{"amount":1}',
            error: at % 3 === 0 ? LONG_TEXT : '',
            isValueLost: at === 3,
            attempts: at + 1,
          }),
        ),
      }),
      invocationOf({
        eventId: 'ev-9',
        invocation: 1_042,
        attempt: 7,
        standing: 'waiting',
        waits: Array.from({ length: 6 }, (_, at) =>
          waitOf({
            waitId: `p-${at}-${LONG_WORD.slice(0, 60)}`,
            name: at === 0 ? LONG_NAME : `approval-${at}`,
            dataText: at === 0 ? LONG_JSON : at === 1 ? 'null' : '{"a":1}',
            dueAt: at === 2 ? null : before((at - 3) * HOUR),
          }),
        ),
      }),
    ],
    queue: Array.from({ length: 50 }, (_, at) => ({
      eventId: `${at}-${LONG_WORD.slice(0, 90)}`,
      triggerId: at === 0 ? LONG_NAME : 'webhook-orders',
      acceptedAt: before(at * MINUTE),
      missed: at === 0 ? 12_044 : 0,
    })),
    deadLetters: Array.from({ length: 8 }, (_, at) =>
      deadLetterOf({
        eventId: `dead-${at}-${LONG_WORD.slice(0, 80)}`,
        triggerId: at === 7 ? LONG_NAME : 'webhook-orders',
        reason: at === 7 ? LONG_TEXT : 'the last of 4 attempts failed',
        error: at % 2 === 1 ? `${LONG_TEXT}\n${'    at step (agent.ts:12)\n'.repeat(30)}` : '',
        doneEffects: at,
      }),
    ),
    deadLettersLost: 1_204,
    mission: missionOf({
      objective: LONG_TEXT,
      successCriteria: LONG_WORD,
      status: 'failed',
      reason: LONG_TEXT,
      actor: LONG_WORD,
      runs: 9_120_044,
      evaluations: 120_044,
      history: Array.from({ length: 60 }, (_, at) =>
        verdictOf({
          at: before((60 - at) * HOUR),
          invocation: 9_120_000 + at,
          confidence: (at % 7) / 7,
          progress: at % 9 === 0 ? null : at / 60,
          reasoning: at === 59 ? LONG_TEXT : LONG_WORD.slice(0, 100),
        }),
      ),
      unknown: { reason: LONG_TEXT, at: before(MINUTE), attempts: 4, isForBudget: false },
      orders: ['resume'],
    }),
    inbox: Array.from({ length: 5 }, (_, at) => ({
      messageId: `m${at}`,
      messageType: 'directive',
      content: at === 0 ? LONG_TEXT : at === 1 ? LONG_WORD : 'Stop that.',
      sender: at === 0 ? `operator:${LONG_WORD.slice(0, 90)}` : '',
      priority: at === 0 ? 'critical' : 'normal',
      createdAt: before(at * HOUR),
      expiresAt: at === 2 ? before(MINUTE) : null,
    })),
    unsent: 12_044,
    workerDetail: {
      pid: 4_194_303,
      generation: 1_204,
      startedAt: null,
      rssBytes: null,
      cpuPercent: null,
      isAnswering: false,
    },
    workerDeaths: 14,
    lastWorkerDeath: LONG_TEXT,
    respawnsAt: before(HOUR),
    restartsAt: null,
    triggers: [
      triggerOf({ id: LONG_NAME, description: LONG_TEXT, missed: 120_044, accepted: 9_120_044 }),
      webhookOf({
        description: `https://example.org/${LONG_WORD}`,
        address: `https://example.org/${LONG_WORD}`,
        filter: LONG_JSON,
        isAdded: true,
        problem: { code: 'trigger.port-taken', message: LONG_TEXT, at: before(9 * HOUR) },
        paused: pauseOf({ reason: LONG_TEXT, actor: `operator:${LONG_WORD.slice(0, 90)}` }),
      }),
      triggerOf({ id: 'x', type: 'lunar', description: LONG_WORD, next: null }),
    ],
    lineage: { process: LONG_NAME, journalId: 'j-gone', seq: 5_231_044 },
    writer: null,
    journalLevel: '',
  });
}

export function nightPreview(action: PreviewView['action']): PreviewView {
  return previewOf({
    action,
    invocations: 2,
    effectsReadBack: 1_204,
    timersDue: 12,
    queued: 5_231,
    deadLetters: 100,
    worker: { pid: 4_194_303, generation: 1_204, isAnswering: false },
    holdsThatStay: ['in doubt: charge_card', LONG_TEXT],
    doubts: Array.from({ length: 9 }, (_, at) =>
      doubtOf({
        effectId: `d${at}`,
        name: at === 0 ? LONG_NAME : `charge_card_${at}`,
        argsPreview: at % 2 === 0 ? LONG_JSON : '{"amount":1}',
        key: LONG_WORD.slice(0, 300),
      }),
    ),
    steps: ['2 unfinished invocations go on from the top.', LONG_TEXT, `${LONG_WORD} is asked of you.`],
  });
}

/** More than anybody would undo. */
export function nightRewind(): RewindPlanView {
  return rewindPlanOf({
    context: [
      { key: `k${LONG_WORD}`, now: { valueText: LONG_JSON }, was: { valueText: LONG_TEXT } },
      { key: 'note', now: null, was: { valueText: LONG_JSON } },
    ],
    contextChanges: 812,
    undone: Array.from({ length: 40 }, (_, at) => ({
      eventId: `${at}-${LONG_WORD.slice(0, 200)}`,
      triggerId: LONG_NAME,
      how: (['done', 'failed', 'given up', 'under way'] as const)[at % 4]!,
      isCutShort: at % 3 === 0,
      effects: at,
    })),
    undoneCount: 940,
    facts: Array.from({ length: 60 }, (_, at) => ({
      seq: 10_000 + at,
      kind: at % 4 === 3 ? ('message' as const) : ('effect' as const),
      text: at % 2 === 0 ? LONG_JSON : LONG_TEXT,
      eventId: LONG_WORD.slice(0, 200),
      end: ['done', 'in_doubt', null][at % 3] ?? null,
    })),
    factCount: { effect: 12_044, message: 3_012, promise: 0, timer: 0, event: 0, decision: 0 },
  });
}

export const NIGHT_LINES: readonly OutputLine[] = [
  lineOf(1, { text: LONG_WORD }),
  lineOf(2, { stream: 'err', text: LONG_TEXT }),
  lineOf(3, { stream: 'log', level: 'warn', text: LONG_JSON }),
];

export const NIGHT_ENTRIES: readonly TimelineRow[] = [
  entryOf(5_204, { type: 'error', tone: 'alarm', summary: LONG_TEXT, dataText: LONG_JSON, cut: true }),
  entryOf(5_203, { type: LONG_NAME, summary: LONG_WORD }),
  ...Array.from({ length: 98 }, (_, at) => entryOf(5_202 - at, { eventId: `e${Math.floor(at / 5)}` })),
];

export function nightTools(): ToolsView {
  const many = Array.from({ length: 120 }, (_, at) =>
    toolOf({
      name: at === 0 ? LONG_NAME.replaceAll('-', '_') : `tool_${at}`,
      source: `mcp:${LONG_NAME}`,
      description: LONG_TEXT,
      class: 'ask',
      decidedBy: 'changed',
      asks: true,
    }),
  );
  return toolsOf({
    tools: many,
    toolCount: 311,
    problems: [LONG_TEXT, LONG_WORD],
    servers: [
      toolServerOf({
        name: LONG_NAME,
        target: LONG_WORD,
        roots: [LONG_WORD, LONG_NAME],
        state: 'down',
        why: LONG_TEXT,
        retryAt: before(-MINUTE),
      }),
    ],
  });
}
