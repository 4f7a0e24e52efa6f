import type { MissionView } from '../../core/contract/mission-view.ts';
import type { WaitingDetail, WaitingItem } from '../../core/contract/waiting-view.ts';
import type { SettingsView, SettingView } from '../../core/contract/settings-views.ts';
import type { ToolServerView, ToolsView, ToolView } from '../../core/contract/tools-view.ts';
import type { FleetView, JournalView } from '../../core/contract/fleet-views.ts';
import type { DetectorView } from '../../core/contract/health-views.ts';
import type { PreviewView } from '../../core/contract/preview-view.ts';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import type { ForkPlanView, RewindPlanView } from '../../core/contract/rewind-views.ts';
import type { SecretView } from '../../core/contract/secret-view.ts';
import type { TimelineRow } from '../../core/contract/timeline-views.ts';
import type { TriggerView } from '../../core/contract/trigger-views.ts';
import type { DeadLetterView, EffectView, WaitView } from '../../core/contract/work-views.ts';
import type { OutputLine } from '../../core/contract/worker-views.ts';

type PauseView = NonNullable<ProcessDetail['triggersPaused']>;

/** A moment that all fixtures count from. */
export const NOW = Date.parse('2026-11-29T12:00:00.000Z');

/** A journal's timestamp, so many milliseconds before {@link NOW}. */
export function before(ms: number): string {
  return new Date(NOW - ms).toISOString().replace('Z', '+00:00');
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function journalOf(over: Partial<JournalView> = {}): JournalView {
  return {
    id: 'j-demo',
    title: 'Demo workspace',
    directory: '/home/ann/agents/.holdfast-journal',
    access: 'live',
    format: 'holdfast',
    note: '',
    asOf: null,
    sizeBytes: 1_834_211,
    badLines: 0,
    triggersHeld: null,
    ...over,
  };
}

/** A limit that was raised. */
export function settingOf(over: Partial<SettingView> = {}): SettingView {
  return {
    path: 'budget.max_cost_per_day',
    manifestText: '40',
    valueText: '60',
    actor: 'operator:ann',
    reason: 'a busy week',
    at: before(2 * HOUR),
    ...over,
  };
}

/** One limit that is set and one that is not. */
export function settingsOf(over: Partial<SettingsView> = {}): SettingsView {
  const changed = over.changed ?? [settingOf()];
  return {
    changed,
    changedCount: changed.length,
    limits: [
      { limit: 'max_cost_per_day', path: 'budget.max_cost_per_day', words: 'cost of a day', value: 60 },
      { limit: 'max_runs_per_day', path: 'budget.max_runs_per_day', words: 'runs in a day', value: null },
    ],
    ...over,
  };
}

type BudgetView = ProcessRow['budget'];
type LimitView = BudgetView['limits'][number];

/** A limit that is half used. */
export function limitOf(over: Partial<LimitView> = {}): LimitView {
  return {
    limit: 'max_tool_calls_per_day',
    scope: 'day',
    words: 'effects in a day',
    max: 100,
    spent: 50,
    reserved: 0,
    overshoot: 0,
    unpriced: 0,
    ...over,
  };
}

/** A day of the budget: without limits, not metered, and opened by nobody. */
export function budgetOf(over: Partial<BudgetView> = {}): BudgetView {
  return {
    day: '2026-11-29',
    until: null,
    runs: 1,
    maxRunsPerDay: null,
    cost: null,
    models: null,
    currency: null,
    limits: [],
    exceeded: null,
    ...over,
  };
}

/** So much money, and as much cost, in each of the last half hours, and in the last minutes alike. */
export function spendingOf(nowMs: number, halves: readonly number[]): ProcessDetail['spending'] {
  const now = Math.floor(nowMs / 60_000);
  const half = Math.floor(now / 30) * 30;
  const spent = (money: number) => ({ money, cost: money, tokens: Math.round(money * 70_000) });
  return {
    since: half - 30 * (halves.length - 1),
    minutes: Array.from({ length: 10 }, (_, at) => ({ at: now - 10 + at, spent: spent(0.05) })),
    halfHours: halves.map((money, at) => ({ at: half - 30 * (halves.length - 1 - at), spent: spent(money) })),
  };
}

/** A limit on runs: 12 of 50. */
function limitedRuns(): BudgetView {
  const runs = limitOf({ limit: 'max_runs_per_day', words: 'runs in a day', max: 50, spent: 12 });
  return budgetOf({ runs: 12, maxRunsPerDay: 50, limits: [runs] });
}

type HealthView = ProcessRow['health'];

/** Ten runs that went well, and nothing found. */
export function healthOf(over: Partial<HealthView> = {}): HealthView {
  const runs = Array.from({ length: 10 }, () => true);
  return { sample: 10, failures: 0, runs, verdict: 'ok', anomalies: [], ...over };
}

/** A detector that sees nothing unusual. */
export function detectorOf(over: Partial<DetectorView> = {}): DetectorView {
  return {
    type: 'stuck',
    state: 'ok',
    sample: 3,
    needed: 3,
    reading: 'the same call in a row: 1',
    threshold: '3 times in a row, within a run',
    action: 'pause',
    last: null,
    coolsUntil: null,
    ...over,
  };
}

export function rowOf(over: Partial<ProcessRow> = {}): ProcessRow {
  const name = over.name ?? 'market-watcher';
  const journalId = over.journalId ?? 'j-demo';
  return {
    key: `${journalId}/${encodeURIComponent(name)}`,
    journalId,
    name,
    description: '',
    live: true,
    state: 'running',
    stateSince: before(3 * HOUR),
    why: '',
    whyAt: null,
    tone: 'quiet',
    budget: limitedRuns(),
    causes: [],
    health: healthOf(),
    invocations: 41,
    queued: 0,
    doubts: 0,
    waiting: { count: 0, mark: '' },
    restarts: 0,
    entries: 1204,
    lastEntryType: 'invocation_result',
    lastEntryAt: before(12_000),
    worker: { pid: 4112, generation: 3 },
    actions: ['suspend', 'restart', 'stop', 'trigger', 'kill-worker', 'force-recover'],
    ...over,
  };
}

const LIFECYCLE: ProcessDetail['lifecycle'] = [
  { state: 'created', to: ['starting', 'stopped'] },
  { state: 'starting', to: ['running', 'failed', 'stopping'] },
  { state: 'running', to: ['suspended', 'awaiting', 'stopping', 'failed'] },
  { state: 'suspended', to: ['running', 'awaiting', 'stopping', 'failed'] },
  { state: 'awaiting', to: ['running', 'suspended', 'stopping', 'failed'] },
  { state: 'stopping', to: ['stopped', 'failed'] },
  { state: 'stopped', to: ['starting'] },
  { state: 'failed', to: ['starting'] },
];

export function effectOf(over: Partial<EffectView> = {}): EffectView {
  return {
    effectId: 'ev-41/charge_card#0',
    name: 'charge_card',
    effectClass: 'ask',
    key: 'j-demo/invoice-clerk/ev-41/charge_card#0',
    argsPreview: '{"invoice":"INV-2041","amount":12900,"currency":"EUR"}',
    attempts: 1,
    announcedAt: before(3 * MINUTE),
    end: 'in_doubt',
    error: '',
    needsOperator: true,
    isValueLost: false,
    maybePaid: 0,
    ...over,
  };
}

export function waitOf(over: Partial<WaitView> = {}): WaitView {
  return {
    waitId: 'p-5f2c9e1b4a7d4c0e9b1f6a2d8c3e7f10',
    kind: 'promise',
    name: 'approve-refund',
    createdAt: before(2 * HOUR),
    dueAt: before(-3 * HOUR),
    dataText: '{"refund":"R-77","amount":240,"currency":"EUR"}',
    status: 'open',
    ...over,
  };
}

export type Invocation = ProcessDetail['open'][number];

export function invocationOf(over: Partial<Invocation> = {}): Invocation {
  return {
    eventId: 'ev-41',
    invocation: 41,
    attempt: 1,
    triggerId: 'cron-0',
    triggerType: 'cron',
    startedAt: before(4 * MINUTE),
    standing: 'running',
    retryAt: null,
    effects: [],
    waits: [],
    signals: 0,
    effectCount: over.effects?.length ?? 0,
    openWaitCount: over.waits?.filter(({ status }) => status === 'open').length ?? 0,
    ...over,
  };
}

export function deadLetterOf(over: Partial<DeadLetterView> = {}): DeadLetterView {
  return {
    eventId: 'ev-17',
    triggerId: 'webhook-orders',
    reason: 'the last of 4 attempts failed',
    error: 'the warehouse answered 503',
    attempts: 4,
    at: before(HOUR),
    doneEffects: 2,
    ...over,
  };
}

/** Nothing found, so nothing to ask. */
export function previewOf(over: Partial<PreviewView> = {}): PreviewView {
  return {
    action: 'resume',
    state: 'suspended',
    lastSeq: 1204,
    lastEntryAt: before(12_000),
    invocations: 0,
    effectsReadBack: 0,
    doubtCount: over.doubts?.length ?? 0,
    doubts: [],
    timersDue: 0,
    queued: 0,
    deadLetters: 0,
    holdsThatStay: [],
    worker: null,
    steps: [],
    ...over,
  };
}

export function doubtOf(over: Partial<PreviewView['doubts'][number]> = {}): PreviewView['doubts'][number] {
  const { effectId, name, effectClass, key, argsPreview } = effectOf();
  return { effectId, name, effectClass, key, argsPreview, next: 'asked of you', ...over };
}

/** A schedule that is followed. */
export function triggerOf(over: Partial<TriggerView> = {}): TriggerView {
  return {
    id: 'cron-4f1d2c3b',
    type: 'cron',
    description: '*/5 * * * * (UTC)',
    next: before(-2 * MINUTE),
    address: null,
    filter: null,
    isAdded: false,
    paused: null,
    problem: null,
    accepted: 41,
    filtered: 0,
    missed: 0,
    lastEventAt: before(3 * MINUTE),
    ...over,
  };
}

export function webhookOf(over: Partial<TriggerView> = {}): TriggerView {
  return triggerOf({
    id: 'webhook-9090/orders',
    type: 'webhook',
    description: 'POST 127.0.0.1:9090/orders',
    next: null,
    address: 'http://127.0.0.1:9090/orders',
    ...over,
  });
}

export function pauseOf(over: Partial<PauseView> = {}): PauseView {
  return { reason: 'Maintenance', actor: 'operator:ann', at: before(HOUR), ...over };
}

export function queuedOf(over: Partial<ProcessDetail['queue'][number]> = {}): ProcessDetail['queue'][number] {
  return { eventId: 'ev-42', triggerId: 'cron-4f1d2c3b', acceptedAt: before(MINUTE), missed: 0, ...over };
}

/** Two invocations undone, with effects that touched the world. */
export function rewindPlanOf(over: Partial<RewindPlanView> = {}): RewindPlanView {
  return {
    process: 'market-watcher',
    target: { seq: 1202, timestamp: before(20 * MINUTE), entryType: 'checkpoint' },
    basedOn: 1204,
    isHandledAgain: true,
    context: [
      { key: 'last_price', now: { valueText: '184.20' }, was: { valueText: '181.05' } },
      { key: 'alerts', now: { valueText: '["AAPL"]' }, was: null },
    ],
    contextChanges: 2,
    conversation: { now: 12, was: 8 },
    undone: [
      { eventId: 'ev-40', triggerId: 'cron-4f1d2c3b', how: 'done', isCutShort: false, effects: 2 },
      { eventId: 'ev-41', triggerId: 'webhook-9090/orders', how: 'under way', isCutShort: true, effects: 1 },
    ],
    undoneCount: 2,
    facts: [
      { seq: 1203, kind: 'effect', text: 'look_up {"id":7}', eventId: 'ev-40', end: 'did_not_happen' },
      { seq: 1204, kind: 'effect', text: 'charge_card {"amount":12900}', eventId: 'ev-40', end: 'done' },
      { seq: 1205, kind: 'effect', text: 'send_mail {"to":"ann"}', eventId: 'ev-41', end: null },
      { seq: 1206, kind: 'event', text: 'cron-4f1d2c3b', eventId: 'ev-42', end: null },
      { seq: 1207, kind: 'decision', text: 'charge_card {"amount":1}', eventId: 'ev-39', end: 'happened' },
    ],
    factCount: { effect: 3, message: 0, promise: 0, timer: 0, event: 1, decision: 1 },
    ...over,
  };
}

export function forkPlanOf(over: Partial<ForkPlanView> = {}): ForkPlanView {
  return {
    from: 'market-watcher',
    at: 1202,
    name: 'market-watcher-fork',
    contextKeys: 3,
    conversation: 8,
    unfinished: [{ eventId: 'ev-41', effects: 1 }],
    unfinishedCount: 1,
    left: { queue: 2, inbox: 1, promises: 0, timers: 1 },
    ...over,
  };
}

export function lineOf(number: number, over: Partial<OutputLine> = {}): OutputLine {
  return {
    at: before((1_000 - number) * 1_000),
    generation: 3,
    stream: 'out',
    level: null,
    eventId: null,
    text: `line ${number}`,
    ...over,
  };
}

export function verdictOf(
  over: Partial<MissionView['history'][number]> = {},
): MissionView['history'][number] {
  return {
    at: before(HOUR),
    invocation: 40,
    achieved: false,
    confidence: 0.4,
    progress: 0.5,
    reasoning: 'Two of four orders are shipped.',
    outcome: 'not_achieved',
    ...over,
  };
}

/** Under way, judged after every second run. */
export function missionOf(over: Partial<MissionView> = {}): MissionView {
  return {
    objective: 'Every order of today is shipped.',
    successCriteria: 'The list of open orders is empty.',
    status: 'active',
    since: before(5 * HOUR),
    reason: '',
    actor: 'host',
    startedAt: before(5 * HOUR),
    runs: 9,
    evaluations: 4,
    history: [
      verdictOf({ invocation: 34, confidence: 0.1, progress: 0.1, at: before(4 * HOUR) }),
      verdictOf({ invocation: 36, confidence: 0.3, progress: null, at: before(3 * HOUR) }),
      verdictOf({ invocation: 38, confidence: 0.2, progress: 0.4, at: before(2 * HOUR) }),
      verdictOf(),
    ],
    advancedAt: before(HOUR),
    unknown: null,
    isJudging: false,
    terms: {
      evalModel: null,
      evalEvery: 2,
      threshold: 0.8,
      maxInvocations: 40,
      endsAt: before(-19 * HOUR),
      driftsAt: before(-HOUR),
      nextIn: 1,
    },
    orders: ['pause', 'fail', 'complete'],
    ...over,
  };
}

export function secretOf(over: Partial<SecretView> = {}): SecretView {
  return {
    name: 'API_KEY',
    source: 'variable',
    from: '${API_KEY}',
    status: 'active',
    expiresAt: before(-2 * HOUR),
    rotatedAt: null,
    lastReadAt: before(3 * MINUTE),
    isRotationLost: false,
    ...over,
  };
}

export function detailOf(row: ProcessRow, over: Partial<ProcessDetail> = {}): ProcessDetail {
  const detail: Omit<ProcessDetail, 'counts'> = {
    row,
    reason: 'started with the host',
    actor: 'host',
    lifecycle: LIFECYCLE,
    holds: [],
    context: [
      { key: 'last_price', text: '184.20', cut: false },
      { key: 'watchlist', text: '["AAPL","MSFT","NVDA"]', cut: false },
      { key: 'big', text: '123456789012345678901234567890', cut: false },
    ],
    open: [],
    queue: [],
    deadLetters: [],
    deadLettersLost: 0,
    mission: null,
    inbox: [],
    inboxRead: [],
    conversation: { count: 0, messages: [] },
    detectors: [],
    unsent: 0,
    workerDetail: null,
    workerDeaths: 0,
    lastWorkerDeath: null,
    saying: null,
    respawnsAt: null,
    restartsAt: null,
    lastError: null,
    escalations: [],
    receivers: [],
    triggers: [
      triggerOf(),
      triggerOf({ id: 'manual', type: 'manual', description: 'when an operator asks', next: null }),
    ],
    triggersPaused: null,
    lineage: null,
    writer: { epoch: 7, pid: 311, hostId: 'ann-laptop-5f2c9e1b' },
    spending: { since: null, minutes: [], halfHours: [] },
    journalLevel: 'checkpoint',
    settings: { changed: [], changedCount: 0, limits: [] },
    self: { changes: [], inForce: 0, spawned: [], spawnedCount: 0, parent: null },
    secrets: [],
    memory: null,
    ...over,
  };
  const { context, open, deadLetters, triggers } = detail;
  const doubts = open.flatMap(({ effects }) => effects).filter(({ needsOperator }) => needsOperator);
  const promises = open
    .flatMap(({ waits }) => waits)
    .filter(({ kind, status }) => kind === 'promise' && status === 'open');
  return {
    ...detail,
    // As a host counts: nothing is left out, unless it is said.
    row: { ...detail.row, doubts: Math.max(detail.row.doubts, doubts.length) },
    counts: {
      context: context.length,
      open: open.length,
      promises: promises.length,
      deadLetters: deadLetters.length,
      triggers: triggers.length,
      ...over.counts,
    },
  };
}

export function entryOf(seq: number, over: Partial<TimelineRow> = {}): TimelineRow {
  return {
    id: String(seq * 200),
    seq,
    at: before((5_000 - seq) * 1_000),
    type: 'log',
    summary: `entry ${seq}`,
    tone: 'quiet',
    eventId: null,
    verification: 'verified',
    dataText: `{"text":"entry ${seq}"}`,
    cut: false,
    ...over,
  };
}

export function fleetOf(processes: readonly ProcessRow[], over: Partial<FleetView> = {}): FleetView {
  return { sequence: 1, at: before(0), journals: [journalOf()], processes: [...processes], ...over };
}

export function toolServerOf(over: Partial<ToolServerView> = {}): ToolServerView {
  return {
    name: 'files',
    target: 'node package:@modelcontextprotocol/server-filesystem',
    isTrusted: true,
    roots: ['inbox'],
    state: 'connected',
    why: '',
    retryAt: null,
    at: before(MINUTE),
    isNow: true,
    toolCount: 2,
    ...over,
  };
}

export function toolOf(over: Partial<ToolView> = {}): ToolView {
  return {
    name: 'read_text_file',
    source: 'mcp:files',
    description: 'Read the complete contents of a file from the file system as text.',
    class: 'retry',
    decidedBy: 'annotation',
    asks: false,
    isEnabled: true,
    isOffered: true,
    ...over,
  };
}

/** A server that works, one that does not, and tools of every kind. */
export function toolsOf(over: Partial<ToolsView> = {}): ToolsView {
  const tools = [
    toolOf(),
    toolOf({
      name: 'write_file',
      class: 'ask',
      decidedBy: 'default',
      description: 'Create or overwrite a file.',
      asks: true,
    }),
    toolOf({
      name: 'charge_card',
      source: 'mcp:shop',
      class: 'ask',
      decidedBy: 'changed',
      description: 'Charges a card.',
    }),
    toolOf({
      name: 'send_mail',
      source: 'mcp:shop',
      class: 'idempotent',
      decidedBy: 'manifest',
      description: '',
    }),
    toolOf({
      name: 'delete_all',
      source: '',
      class: 'ask',
      decidedBy: 'operator',
      description: '',
      isEnabled: false,
      isOffered: false,
    }),
  ];
  return {
    isModelAgent: true,
    listedAt: before(2 * HOUR),
    problems: [
      'charge_card of shop says something else of itself than when it was first believed, so a call in doubt is asked about',
    ],
    servers: [
      toolServerOf(),
      toolServerOf({
        name: 'shop',
        target: 'https://tools.example',
        isTrusted: false,
        roots: [],
        state: 'down',
        why: 'it ended with code 1; last it said: [shop] no key',
        retryAt: new Date(NOW + 12_000).toISOString(),
      }),
      toolServerOf({
        name: 'notes',
        isTrusted: false,
        roots: [],
        isNow: false,
        at: before(3 * HOUR),
        toolCount: 0,
      }),
      toolServerOf({ name: 'new', roots: [], state: 'unknown', at: null, isNow: false, toolCount: 0 }),
    ],
    serverCount: over.servers?.length ?? 4,
    tools,
    toolCount: tools.length,
    ...over,
  };
}

/** A call that waits for an approval. */
export function waitingItem(over: Partial<WaitingItem> = {}): WaitingItem {
  const item = {
    journalId: 'j-demo',
    process: 'market-watcher',
    live: true,
    state: 'awaiting',
    kind: 'approval' as const,
    id: 'p_approval',
    title: 'write_file',
    text: 'The report is due.',
    effectClass: 'ask',
    since: before(5 * MINUTE),
    expiresAt: null,
    onExpiry: 'reject' as const,
    isUrgent: false,
    ...over,
  };
  return { key: `${item.journalId}/${item.process}/${item.kind}/${item.id}`, ...item };
}

export function waitingDetail(
  item: Partial<WaitingItem> = {},
  over: Partial<Omit<WaitingDetail, 'item'>> = {},
): WaitingDetail {
  const whole = waitingItem(item);
  const argsText = '{\n  "path": "report.txt",\n  "content": "new"\n}';
  return {
    item: whole,
    source: 'mcp:files',
    why: whole.text,
    argsText,
    isWhole: true,
    argsBytes: argsText.length,
    schemaText:
      '{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"edits":{"type":"array"}},"required":["path"],"additionalProperties":false}',
    diffs: [],
    options: [],
    problem: '',
    effectKey: '',
    ...over,
  };
}
