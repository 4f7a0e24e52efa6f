// What the pages of the browser test show: a fleet with something of everything, hostile text included.

import type { FleetView } from '../../../core/contract/fleet-views.ts';
import type { PreviewView } from '../../../core/contract/preview-view.ts';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import type { TimelineRow } from '../../../core/contract/timeline-views.ts';
import type { TriggerView } from '../../../core/contract/trigger-views.ts';
import type { OutputLine } from '../../../core/contract/worker-views.ts';
import { LIMIT_NAMES, LIMITS } from '../../../core/model/budget.ts';
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
  healthOf,
  HOUR,
  invocationOf,
  journalOf,
  limitOf,
  lineOf,
  missionOf,
  MINUTE,
  pauseOf,
  previewOf,
  queuedOf,
  rowOf,
  spendingOf,
  settingOf,
  settingsOf,
  secretOf,
  triggerOf,
  verdictOf,
  waitOf,
  webhookOf,
} from '../fixtures.ts';

const nothingRan: ProcessRow['health'] = {
  sample: 0,
  failures: 0,
  runs: [],
  verdict: 'unknown',
  anomalies: [],
};
const noLimit = budgetOf();
const runs = (spent: number) =>
  limitOf({ limit: 'max_runs_per_day', words: 'runs in a day', max: 50, spent });
/** At the limit of what its effects may cost, with more on its way. */
const spentUp = budgetOf({
  runs: 31,
  maxRunsPerDay: 50,
  cost: 38.5,
  until: before(-11 * HOUR),
  limits: [
    limitOf({
      limit: 'max_irreversible_per_run',
      scope: 'run',
      words: 'irreversible effects in a run',
      max: 2,
      spent: 1,
    }),
    runs(31),
    limitOf({ limit: 'max_cost_per_day', words: 'cost of a day', max: 40, spent: 37, reserved: 1.5 }),
    limitOf({
      limit: 'max_money_per_day',
      words: 'money of a day',
      max: 25,
      spent: 18.4,
      reserved: 0.12,
      overshoot: 0.84,
      unpriced: 2,
    }),
    limitOf({
      limit: 'max_tokens_per_day',
      words: 'tokens in a day',
      max: 4_000_000,
      spent: 1_284_300,
      overshoot: null,
    }),
  ],
  models: { turns: 211, tokens: 1_284_300, money: 18.52, unpriced: 2 },
  currency: 'USD',
  exceeded: {
    limit: 'max_cost_per_day',
    text: 'cost of a day: 37 of 40 used, 1.5 more under way, and 2.5 more is asked for (max_cost_per_day)',
    missing: 1,
  },
});

const STUCK = 'fetch_price was called 3 times in a row with the same arguments';
const SLOW = 'browser is under way for 41.2 s; 99 % of 214 before it took at most 20 s';

const OVER = 'all 40 runs of the mission are used, and it is not achieved';

const ROWS: readonly ProcessRow[] = [
  rowOf({ description: 'Watches tickers', why: 'tool `browser` for 4 m (usually 20 s)', tone: 'working' }),
  rowOf({
    name: 'invoice-clerk',
    waiting: { count: 1, mark: 'b' },
    state: 'suspended',
    stateSince: before(3 * MINUTE),
    why: 'in doubt: charge_card',
    tone: 'attention',
    doubts: 1,
    worker: null,
    actions: ['resume', 'restart', 'stop', 'trigger', 'force-recover'],
  }),
  rowOf({
    name: 'mail-triage',
    state: 'failed',
    why: 'same error as the last 6',
    tone: 'alarm',
    budget: budgetOf({
      runs: 50,
      maxRunsPerDay: 50,
      cost: 4.1,
      until: before(-11 * HOUR),
      limits: [runs(50)],
    }),
    health: { sample: 4, failures: 3, runs: [true, false, false, false], verdict: 'failing', anomalies: [] },
    worker: null,
    actions: ['start', 'force-recover'],
  }),
  rowOf({
    name: 'nightly-report',
    waiting: { count: 3, mark: 'a' },
    state: 'awaiting',
    why: 'waiting for promise approve-refund, until',
    whyAt: before(-3 * HOUR),
    budget: noLimit,
    worker: null,
    actions: ['suspend', 'restart', 'stop', 'trigger', 'force-recover'],
  }),
  rowOf({
    name: 'order-sync',
    why: 'its worker was killed by SIGKILL; another starts at',
    whyAt: before(-24_000),
    tone: 'attention',
    restarts: 2,
    queued: 3,
    worker: null,
    actions: ['suspend', 'restart', 'stop', 'trigger', 'force-recover'],
  }),
  rowOf({
    name: 'release-notes',
    state: 'starting',
    stateSince: before(3_000),
    health: nothingRan,
    actions: [],
  }),
  rowOf({
    name: 'ad-buyer',
    waiting: { count: 1, mark: 'c' },
    state: 'suspended',
    stateSince: before(6 * MINUTE),
    why: `budget: ${spentUp.exceeded!.text}; extend that limit, or it goes on at`,
    whyAt: spentUp.until,
    tone: 'attention',
    budget: spentUp,
    health: healthOf({ verdict: 'unwell', anomalies: [{ type: 'slow', text: SLOW, at: before(MINUTE) }] }),
    actions: ['restart', 'stop', 'trigger', 'kill-worker', 'force-recover'],
  }),
  rowOf({
    name: 'price-prober',
    state: 'suspended',
    stateSince: before(2 * MINUTE),
    why: `health: ${STUCK}; resume it, or stop it`,
    tone: 'attention',
    health: healthOf({
      failures: 2,
      runs: [true, true, false, true, true, true, false, true, true, true],
      verdict: 'unwell',
      anomalies: [
        { type: 'stuck', text: STUCK, at: before(2 * MINUTE) },
        { type: 'slow', text: SLOW, at: before(MINUTE) },
      ],
    }),
    actions: ['resume', 'restart', 'stop', 'trigger', 'kill-worker', 'force-recover'],
  }),
  rowOf({
    name: 'launch-planner',
    state: 'suspended',
    stateSince: before(8 * MINUTE),
    why: `mission: ${OVER}`,
    tone: 'attention',
    actions: ['resume', 'restart', 'stop', 'trigger', 'force-recover'],
  }),
  rowOf({
    name: 'brand-new',
    state: 'created',
    stateSince: null,
    lastEntryAt: null,
    health: nothingRan,
    budget: budgetOf({ runs: 0 }),
    invocations: 0,
    entries: 1,
    worker: null,
  }),
  rowOf({ name: 'evil \u{202e}txt.exe\u{7}<b>', state: 'hibernating', why: '<img src=x onerror=alert(1)>' }),
  rowOf({
    journalId: 'j-sent',
    live: false,
    budget: budgetOf({ runs: 12 }),
    lastEntryAt: before(3 * DAY),
    worker: null,
    actions: [],
  }),
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
  if (row.name === 'nightly-report') return awaiting(row);
  if (row.name === 'order-sync') return dying(row);
  if (row.name === 'price-prober') return heldByItsHealth(row);
  if (row.name === 'ad-buyer') return heldByItsBudget(row);
  if (row.name === 'launch-planner') return { ...heldByItsMission(row), memory: MEMORY };
  if (row.state === 'created') return detailOf(row);
  if (row.doubts === 0) return busy(row);
  return detailOf(row, {
    holds: [{ kind: 'in_doubt', reason: 'charge_card', actor: 'host', since: before(MINUTE) }],
    triggers: [...TRIGGERS],
    queue: [queuedOf({ missed: 4 }), queuedOf({ eventId: 'ev-43', triggerId: 'webhook-9090/orders' })],
    open: [
      invocationOf({
        standing: 'in-doubt',
        effects: [
          effectOf({ error: 'timeout of 30 s exceeded' }),
          effectOf({
            effectId: 'ev-41/send_receipt#0',
            name: 'send_receipt',
            key: 'k2',
            error: 'it happened, and what it gave is lost',
            isValueLost: true,
          }),
          effectOf({ effectId: 'f', name: 'fetch', end: 'done', needsOperator: false }),
        ],
      }),
    ],
  });
}

export const MEMORY: ProcessDetail['memory'] = { collection: 'launch_notes', userId: 'anna' };

/** One of each kind, and what may be the matter with them. */
const TRIGGERS: readonly TriggerView[] = [
  triggerOf({ missed: 3 }),
  webhookOf({ isAdded: true, filter: "payload.amount > 100 and payload['currency'] == 'EUR'", filtered: 12 }),
  triggerOf({
    id: 'file_watch-/srv/invoices',
    type: 'file_watch',
    description: 'created, modified: *.pdf in /srv/invoices',
    next: null,
    problem: {
      code: 'trigger.bad-path',
      message: '/srv/invoices can not be read: permission denied. Name a folder that can be watched.',
      at: before(4 * MINUTE),
    },
    lastEventAt: null,
    accepted: 0,
  }),
  triggerOf({
    id: 'event-77aa01fe',
    type: 'event',
    description: 'event order.* of order-sync',
    next: null,
    paused: pauseOf(),
  }),
  triggerOf({ id: 'message-01', type: 'message', description: 'messages to invoices.eu', next: null }),
  triggerOf({ id: 'manual', type: 'manual', description: 'when an operator asks', next: null }),
];

/** Waits for people in two invocations, and for a timer in a third. */
function awaiting(row: ProcessRow): ProcessDetail {
  return detailOf(row, {
    mission: missionOf(),
    open: [
      invocationOf({
        standing: 'waiting',
        waits: [waitOf(), waitOf({ waitId: 't', kind: 'timer', name: '', dueAt: before(-40 * MINUTE) })],
      }),
      invocationOf({
        eventId: 'ev-43',
        invocation: 43,
        standing: 'waiting',
        waits: [
          waitOf({
            waitId: 'p-77',
            name: 'which account? \u{202e}<b>',
            dataText: '"Two accounts match: 4711 and 4712"',
            dueAt: null,
          }),
        ],
      }),
      invocationOf({ eventId: 'ev-44', invocation: 44, standing: 'waiting' }),
    ],
    conversation: {
      count: 120,
      messages: [
        { role: 'user', text: 'The report of yesterday, please.' },
        { role: 'assistant', text: 'Done. 14 invoices, two of them late. \u{202e}<b>bold</b>' },
      ],
    },
    inboxRead: [
      {
        messageId: 'm0',
        messageType: 'question',
        content: 'How many invoices were late last week?',
        sender: 'operator:ann',
        priority: 'normal',
        createdAt: before(DAY),
        expiresAt: null,
        deliveredAt: before(20 * HOUR),
        eventId: 'ev-40',
        invocation: 40,
        answer: { text: 'Three: 4711, 4712 and 4720.', at: before(20 * HOUR) },
      },
    ],
    inbox: [
      {
        messageId: 'm1',
        messageType: 'directive',
        content: 'Leave Saturdays out of the report from now on.',
        sender: 'operator:ann',
        priority: 'high',
        createdAt: before(20 * MINUTE),
        expiresAt: before(-DAY),
      },
    ],
  });
}

const RECEIVERS: NonNullable<ProcessDetail['receivers']> = [
  { target: 'webhook', to: 'https://hooks.ops.example.com/…' },
  { target: 'event', to: 'ops.alert' },
];

/** One that is open and told by half, and one that is over and was told to nobody. */
function escalationsOf(text: string): ProcessDetail['escalations'] {
  const [webhook, event] = RECEIVERS as [(typeof RECEIVERS)[number], (typeof RECEIVERS)[number]];
  const tried = { attempts: 1, lastAt: before(MINUTE), dueAt: null, answer: null, reason: '' };
  return [
    {
      id: 'e2',
      key: 'budget/max_cost_per_day',
      kind: 'budget',
      summary: `ad-buyer is held by its budget: ${text}`,
      at: before(6 * MINUTE),
      repeats: 3,
      overAt: null,
      overWhy: '',
      deliveries: [
        {
          ...tried,
          ...webhook,
          status: 'pending',
          attempts: 4,
          dueAt: before(-MINUTE),
          answer: 503,
          reason: 'it answered 503',
        },
        { ...tried, ...event, status: 'sent' },
      ],
    },
    {
      id: 'e1',
      key: 'process/in-doubt',
      kind: 'process',
      summary: 'ad-buyer waits for somebody to decide: place_bid',
      at: before(3 * HOUR),
      repeats: 0,
      overAt: before(2 * HOUR),
      overWhy: 'it is decided',
      deliveries: [
        {
          ...tried,
          ...webhook,
          status: 'failed',
          answer: 302,
          reason: 'it answered 302, which leads elsewhere, and redirects are not followed',
        },
      ],
    },
  ];
}

/** Found stuck, and with an effect that takes long; the others look on. */
function heldByItsHealth(row: ProcessRow): ProcessDetail {
  const [stuck, slow] = row.health.anomalies;
  const last = ({ text, at }: { readonly text: string; readonly at: string }) => ({
    description: text,
    at,
    action: 'pause',
    overAt: null,
  });
  return detailOf(row, {
    holds: [{ kind: 'health', reason: stuck!.text, actor: 'host', since: stuck!.at }],
    detectors: [
      detectorOf({ state: 'found', last: last(stuck!), coolsUntil: before(-3 * MINUTE) }),
      detectorOf({
        type: 'loop',
        sample: 7,
        needed: 4,
        reading: 'calls without a pattern: 7',
        threshold: 'a pattern 2 times over, in 20 calls of a run',
      }),
      detectorOf({
        type: 'empty_response',
        state: 'unknown',
        sample: 1,
        reading: 'replies that are short: 0 of the last 1',
        threshold: '3 in a row of at most 10 characters',
      }),
      detectorOf({
        type: 'high_error_rate',
        sample: 10,
        needed: 10,
        reading: 'runs that failed: 2 of the last 10',
        threshold: '50 % of 10 runs',
        last: {
          description: '5 of the last 10 runs failed',
          at: before(DAY),
          action: 'escalate',
          overAt: before(20 * HOUR),
        },
      }),
      detectorOf({
        type: 'silent',
        state: 'unknown',
        sample: 0,
        needed: 1,
        reading: 'no run is to say anything now',
        threshold: 'no word for 600 s from a run that should move',
      }),
      detectorOf({ type: 'slow', state: 'found', last: last(slow!), action: 'log' }),
    ],
  });
}

/** Its mission is over, and was not achieved. */
function heldByItsMission(row: ProcessRow): ProcessDetail {
  return detailOf(row, {
    holds: [{ kind: 'mission', reason: OVER, actor: 'host', since: before(8 * MINUTE) }],
    mission: missionOf({
      status: 'failed',
      since: before(8 * MINUTE),
      reason: OVER,
      runs: 40,
      evaluations: 60,
      history: Array.from({ length: 50 }, (_, at) =>
        verdictOf({ invocation: at, confidence: 0.2 + (at % 9) / 20, progress: at / 80 }),
      ),
      terms: {
        evalModel: null,
        evalEvery: 1,
        threshold: 0.8,
        maxInvocations: 40,
        endsAt: null,
        driftsAt: null,
        nextIn: null,
      },
      orders: ['resume'],
    }),
  });
}

/** All that may be set, a few of them set. */
function allLimits(): ReturnType<typeof settingsOf>['limits'] {
  const set: Readonly<Record<string, number>> = {
    max_cost_per_day: 60,
    max_runs_per_day: 50,
    max_money_per_day: 25,
    max_tokens_per_day: 4_000_000,
    max_irreversible_per_run: 2,
  };
  return LIMIT_NAMES.map((limit) => ({
    limit,
    path: `budget.${limit}`,
    words: LIMITS[limit].words,
    value: set[limit] ?? null,
  }));
}

/** One of its effects is more than its budget has room for, and another is under way. */
function heldByItsBudget(row: ProcessRow): ProcessDetail {
  const { text } = row.budget.exceeded!;
  const change = {
    eventId: 'event-9',
    end: null,
    reason: 'the campaign is over, and the next one needs another tone',
  };
  return detailOf(row, {
    self: {
      changes: [
        {
          ...change,
          seq: 412,
          kind: 'process',
          text: 'the process ad-buyer.reporter',
          at: before(MINUTE),
          takesBack: [412],
        },
        {
          ...change,
          seq: 398,
          kind: 'instructions',
          text: 'its instructions',
          at: before(HOUR),
          takesBack: [398],
        },
        {
          ...change,
          seq: 377,
          kind: 'trigger',
          text: 'the trigger cron-5c1f09aa',
          at: before(3 * HOUR),
          takesBack: [],
          end: { how: 'undone', actor: 'operator:ann', reason: 'too often', at: before(2 * HOUR) },
        },
      ],
      inForce: 2,
      spawned: ['ad-buyer.reporter'],
      spawnedCount: 1,
      parent: { process: 'clerk', depth: 1 },
    },
    settings: settingsOf({
      changed: [
        settingOf(),
        settingOf({
          path: 'budget.tool_costs.send_mail.cost_weight',
          manifestText: null,
          valueText: '2.5',
          reason: '',
        }),
      ],
      limits: allLimits(),
    }),
    detectors: [
      detectorOf({
        type: 'slow',
        state: 'found',
        sample: 214,
        needed: 20,
        threshold: 'longer than 99 % of those before',
        last: { description: SLOW, at: before(MINUTE), action: 'log', overAt: null },
      }),
      detectorOf(),
    ],
    mission: missionOf({
      advancedAt: before(3 * HOUR),
      terms: {
        evalModel: null,
        evalEvery: 2,
        threshold: 0.8,
        maxInvocations: 40,
        endsAt: before(-19 * HOUR),
        driftsAt: before(HOUR),
        nextIn: 1,
      },
    }),
    holds: [{ kind: 'budget', reason: text, actor: 'host', since: before(6 * MINUTE) }],
    receivers: RECEIVERS,
    escalations: escalationsOf(text),
    spending: spendingOf(Date.now(), [0.4, 0.9, 2.1, 1.3, 0, 0, 0.6, 2.4, 3.1, 2.8, 1.9, 2.9]),
    secrets: [
      secretOf(),
      secretOf({
        name: 'ledger.password',
        source: 'file',
        from: 'the file /home/ann/agents/keys/ledger-of-the-whole-house',
        expiresAt: before(HOUR),
        rotatedAt: before(DAY),
        status: 'expired',
        isRotationLost: true,
      }),
      secretOf({
        name: 'MAIL',
        source: 'keychain',
        from: 'the keychain entry mail',
        status: 'revoked',
        lastReadAt: null,
      }),
    ],
    open: [
      invocationOf({
        effects: [
          effectOf({ name: 'place_bid', end: 'open', needsOperator: false, announcedAt: before(6 * MINUTE) }),
        ],
      }),
    ],
  });
}

/** Its workers die one after another. */
function dying(row: ProcessRow): ProcessDetail {
  return detailOf(row, {
    workerDeaths: 4,
    lastWorkerDeath: 'its worker (pid 4242) was killed by SIGKILL after 3 s',
    respawnsAt: before(-24_000),
    open: [
      invocationOf({ standing: 'ready' }),
      invocationOf({
        eventId: 'ev-42',
        invocation: 42,
        attempt: 2,
        standing: 'backing-off',
        retryAt: before(-95_000),
      }),
    ],
    mission: missionOf({
      status: 'paused',
      reason: 'Its judge is out of order',
      actor: 'operator:ann',
      history: [verdictOf({ outcome: 'unsure', achieved: true, confidence: 0.6, progress: null })],
      evaluations: 1,
      unknown: {
        reason: 'the judge threw: the model does not answer',
        at: before(9 * MINUTE),
        attempts: 4,
        isForBudget: false,
      },
      terms: {
        evalModel: 'openai:gpt-5-mini',
        evalEvery: 2,
        threshold: 0.8,
        maxInvocations: null,
        endsAt: null,
        driftsAt: null,
        nextIn: null,
      },
      orders: ['resume', 'fail', 'complete'],
    }),
    lineage: { process: 'market-watcher', journalId: 'j-demo', seq: 1_204 },
    triggersPaused: pauseOf({ reason: 'forked from entry 1204 of market-watcher' }),
    triggers: [
      triggerOf({ next: null, paused: pauseOf({ reason: 'forked from entry 1204 of market-watcher' }) }),
      webhookOf({ address: null, paused: pauseOf({ reason: 'Too many calls', at: before(MINUTE) }) }),
    ],
    queue: [queuedOf({ eventId: 'ev-45', triggerId: 'webhook-orders', acceptedAt: before(30_000) })],
    deadLetters: [
      deadLetterOf(),
      deadLetterOf({ eventId: 'ev-18', reason: 'it can not be done', doneEffects: 0, attempts: 1 }),
    ],
    deadLettersLost: 3,
    unsent: 2,
  });
}

/** A worker at work, and more effects than fit a screen. */
function busy(row: ProcessRow): ProcessDetail {
  const ends = ['open', 'done', 'did_not_happen', 'done', 'in_doubt'] as const;
  return detailOf(row, {
    saying: {
      text: 'ACME is up by 3 % since noon. Let me see what the news say\nof it, before I tell anybody. \u{202e}<b>',
      waitText: 'rate limited: retry 2/5',
      waitUntil: before(-32_000),
      model: 'openai:gpt-5-mini',
      since: before(3_000),
    },
    workerDetail:
      row.worker === null
        ? null
        : {
            ...row.worker,
            startedAt: before(3 * HOUR),
            rssBytes: 91_223_000,
            cpuPercent: null,
            isAnswering: true,
          },
    open: [
      invocationOf({
        effects: Array.from({ length: 400 }, (_, at) =>
          effectOf({
            effectId: `ev-41/step#${at}`,
            name: at % 7 === 0 ? 'browser.fetch_page_and_keep_it' : `step-${at}`,
            effectClass: at % 2 === 0 ? 'retry' : 'idempotent',
            announcedAt: before(at * 2_000),
            end: ends[at % ends.length]!,
            error: ends[at % ends.length] === 'did_not_happen' ? 'the address was refused' : '',
            needsOperator: false,
            maybePaid: at === 397 ? 1 : 0,
          }),
        ),
      }),
    ],
  });
}

export function previewIn(process: string, action: PreviewView['action']): PreviewView {
  if (process !== 'invoice-clerk') {
    return previewOf({
      action,
      state: 'running',
      invocations: 1,
      effectsReadBack: 12,
      worker: { pid: 4112, generation: 3, isAnswering: false },
      steps: [
        'Worker 3 (pid 4112) is ended with everything it started.',
        'The state is rebuilt from the journal; nothing in memory counts.',
        '1 unfinished invocation goes on from the top; 12 effects are read back, and not done again.',
      ],
    });
  }
  return previewOf({
    action,
    invocations: 1,
    effectsReadBack: 1,
    timersDue: 2,
    queued: 1,
    deadLetters: 2,
    holdsThatStay: ['in doubt: charge_card'],
    doubts: [
      doubtOf(),
      doubtOf({
        effectId: 'g',
        name: 'book-tax',
        effectClass: 'idempotent',
        next: 'performed again with the same key',
      }),
    ],
    steps: [
      '1 unfinished invocation goes on from the top; 1 effect is read back, and not done again.',
      'charge_card is asked of you.',
      'book-tax is performed again with the same key.',
      '2 timers that came due meanwhile fire at once.',
      '1 event of the queue follows.',
      'It stays suspended: in doubt.',
    ],
  });
}

export const LINES: readonly OutputLine[] = Array.from({ length: 60 }, (_, at) =>
  at === 57
    ? lineOf(at, { stream: 'err', text: 'Error: the address was refused\n    at fetch (agent.ts:12)' })
    : at === 58
      ? lineOf(at, { stream: 'log', level: 'warn', text: 'evil \u{1b}[31mred\u{7} \u{202e}gnp <img src=x>' })
      : lineOf(at, {
          stream: 'log',
          level: 'info',
          text: `price ${184 + at / 100}, watched for ${at} rounds`,
        }),
);

export const OLDER: readonly OutputLine[] = Array.from({ length: 30 }, (_, at) =>
  lineOf(at - 30, { text: `older ${at}` }),
);

const bad = {
  verification: 'unreadable',
  type: '',
  tone: 'alarm',
  summary: 'not JSON',
  dataText: 'not JSON',
} as const;

export const ENTRIES: readonly TimelineRow[] = [
  entryOf(1204, { eventId: 'e', type: 'invocation_result', summary: 'done' }),
  entryOf(1203, {
    eventId: 'e',
    type: 'effect_finished',
    dataText:
      '{"event_id":"e","effect_id":"e/notify#0","end":"did_not_happen","error":"nobody is subscribed"}',
  }),
  entryOf(1202, {
    eventId: 'e',
    type: 'effect_started',
    tone: 'working',
    dataText:
      '{"event_id":"e","effect_id":"e/notify#0","name":"notify","class":"reconcile","key":"k-notify","args_preview":"{\\"to\\":\\"ops\\"}","attempt":2}',
  }),
  entryOf(1201, { type: 'hold_placed', tone: 'attention', summary: 'in doubt: charge_card' }),
  entryOf(1200, bad),
  entryOf(1199, { type: 'error', tone: 'alarm', verification: 'broken', dataText: '{"evil":"\u{202e}gnp"}' }),
];
