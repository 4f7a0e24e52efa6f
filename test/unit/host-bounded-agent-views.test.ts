// What crosses to a screen of an agent without code is bounded whatever its journal, its plan or its manifest holds, and says
// where there is more.

import { expect, test } from 'vitest';
import { ManifestChangeView } from '../../core/contract/manifest-views.ts';
import { SelfView } from '../../core/contract/self-view.ts';
import { ToolsView } from '../../core/contract/tools-view.ts';
import { InboxView } from '../../core/contract/inbox-views.ts';
import { ProcessDetail } from '../../core/contract/process-detail.ts';
import { WaitingDetail, WaitingView } from '../../core/contract/waiting-view.ts';
import { conversationView, deliveredView, messageView } from '../../core/host/inbox-views.ts';
import { changeView } from '../../core/host/manifest-change-views.ts';
import { selfView } from '../../core/host/self-view.ts';
import { toolsView } from '../../core/host/tools-view.ts';
import { waitingDetail, waitingMark, waitingView, type WaitingInput } from '../../core/host/waiting-views.ts';
import { DEFAULT_PLAN, type AgentPlan, type ToolServer } from '../../core/model/agent-plan.ts';
import type { InboxMessage } from '../../core/model/inbox.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { SelfChange } from '../../core/model/self-change.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import type { DurableWait } from '../../core/model/waits.ts';
import { invocationSaying, recordedEffect } from '../support/recorded-effects.ts';

const HUGE = '💾x'.repeat(1_000_000);
/** For what has to differ: each of them is a text of its own. */
const LONG = 'x'.repeat(10_000);
const AT = '2026-01-31T00:00:00+00:00';
const sizeOf = (view: unknown): number => JSON.stringify(view).length;
const many = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));

const APPROVAL: JsonObject = {
  kind: 'approval',
  tool: HUGE,
  source: HUGE,
  class: HUGE,
  args: { all: HUGE },
  args_preview: HUGE,
  args_bytes: 1e300,
  why: HUGE,
  diffs: many(100, () => ({ title: HUGE, text: HUGE })),
  schema: { type: HUGE },
  on_expiry: 'approve',
  problem: HUGE,
};
const QUESTION: JsonObject = { kind: 'question', question: HUGE, options: many(1_000, () => HUGE) };

const NAMES = { approval: `approval:${HUGE}`, question: 'question', other: HUGE };

function promise(at: number, data: JsonObject): DurableWait {
  const kind = data === APPROVAL ? 'approval' : data === QUESTION ? 'question' : 'other';
  return {
    waitId: `${at}${LONG}`,
    kind: 'promise',
    name: NAMES[kind],
    occurrence: at,
    createdAt: at % 2 === 0 ? AT : HUGE,
    dueAt: at % 2 === 0 ? Number.NaN : 8.64e15,
    data,
    seq: at,
    end: null,
    endSeq: null,
  };
}

function waitsIn(waits: DurableWait[]): ProcessSnapshot {
  const names = { effectId: HUGE, name: HUGE, argsPreview: HUGE, key: HUGE, announcedAt: HUGE };
  return {
    ...emptySnapshot(),
    open: [
      {
        ...invocationSaying(HUGE),
        waits,
        effects: [recordedEffect({ ...names, effectClass: 'ask', end: null })],
      },
    ],
  };
}

const inputOf = (snapshot: ProcessSnapshot): WaitingInput => ({
  journalId: 'j',
  name: HUGE,
  snapshot,
  isLive: true,
  isInHand: null,
});

test('[S20] of what waits for a person the oldest are there, each bounded, with how many there are', () => {
  const kinds = [APPROVAL, QUESTION, { anything: HUGE }];
  const input = inputOf(waitsIn(many(3_000, (at) => promise(at, kinds[at % 3]!))));
  const view = waitingView([input]);
  WaitingView.parse(view);
  expect(view.items).toHaveLength(500);
  expect(view.count).toBe(3_001);
  expect(sizeOf(view)).toBeLessThan(500 * 30_000);
  expect(waitingMark(input)).toMatchObject({ count: 3_001, mark: expect.stringMatching(/^.{12}$/) });
});

test('[S20] one of them, with all that a decision needs, is bounded too, and says what is not whole', () => {
  for (const data of [APPROVAL, QUESTION, { anything: HUGE }]) {
    const input = inputOf(waitsIn([promise(1, data)]));
    const item = waitingView([input]).items.find(({ kind }) => kind !== 'doubt')!;
    const detail = waitingDetail(input, item.kind, item.id);
    WaitingDetail.parse(detail);
    expect(detail.isWhole).toBe(false);
    expect(sizeOf(detail)).toBeLessThan(2_000_000);
    if (item.kind !== 'approval') continue;
    expect(detail.diffs).toHaveLength(8);
    expect(detail.diffs.every(({ isCut }) => isCut)).toBe(true);
  }
});

const SERVER: ToolServer = {
  kind: 'stdio',
  command: HUGE,
  args: [HUGE],
  env: {},
  cwd: '',
  isTrusted: false,
  roots: many(1_000, () => HUGE),
  timeoutMs: 1,
  maxResultBytes: 1,
};

test('[S20] of tools and their servers the first are there, with how many there are', () => {
  const offers = many(2_000, (at): JsonObject => ({ name: `${at}${LONG}`, source: HUGE, description: HUGE }));
  const snapshot = {
    ...emptySnapshot(),
    tools: {
      last: { hash: 'h', problems: many(1_000, () => HUGE), at: HUGE },
      lists: { h: offers },
      believed: {},
    },
  };
  const plan: AgentPlan = {
    ...DEFAULT_PLAN,
    servers: Object.fromEntries(many(300, (at) => [`${at}${LONG}`, SERVER])),
    tools: Object.fromEntries(many(300, (at) => [`${at}t${LONG}`, { asks: true }])),
  };
  const view = toolsView({ snapshot, plan, told: null, isNow: false });
  ToolsView.parse(view);
  expect([view.tools.length, view.toolCount]).toEqual([300, 2_300]);
  expect([view.servers.length, view.serverCount]).toEqual([100, 300]);
  expect(view.problems).toHaveLength(51);
  expect(view.problems.at(-1)).toBe('… and 950 more');
  expect(view.servers[0]!.roots.at(-1)).toBe('… and 980 more');
  expect(sizeOf(view)).toBeLessThan(8_000_000);
});

test('[S20] of what an agent changed about itself the newest are there, with how many there are', () => {
  const change = (seq: number, isOver: boolean): SelfChange => ({
    seq,
    key: HUGE,
    kind: seq % 2 === 0 ? 'instructions' : 'server',
    what: LONG,
    eventId: HUGE,
    at: HUGE,
    reason: HUGE,
    end: isOver ? { how: 'undone', at: HUGE, actor: HUGE, reason: HUGE, key: HUGE } : null,
  });
  const spawned = { instructions: HUGE, triggers: [], secrets: [], task: HUGE };
  const view = selfView({
    self: {
      changes: many(4_000, (at) => change(at, at < 1_000)),
      servers: {},
      spawned: many(2_000, (at) => ({ name: `${at}${LONG}`, ...spawned })),
      rebuilds: 0,
    },
    parent: { process: HUGE, depth: 1e300, isDiscarded: false },
  });
  SelfView.parse(view);
  expect(view.changes).toHaveLength(120);
  expect(view.changes[0]).toMatchObject({ seq: 3_999, end: null });
  expect([view.inForce, view.spawned.length, view.spawnedCount]).toEqual([3_000, 100, 2_000]);
  expect(Math.max(...view.changes.map(({ takesBack }) => takesBack.length))).toBe(50);
  expect(sizeOf(view)).toBeLessThan(2_000_000);
});

test('[S20] of a manifest that is not in force the first lines are there, with how many there are', () => {
  const line = { keys: ['x'], path: HUGE, from: HUGE, to: { deep: HUGE }, acts: 'at_once' as const };
  const problem = { path: HUGE, line: 1, message: HUGE };
  const view = changeView(
    {
      id: 'i',
      file: HUGE,
      process: HUGE,
      kind: 'changed',
      lines: many(1_000, () => line),
      problems: many(1_000, () => problem),
    } as unknown as Parameters<typeof changeView>[0],
    [HUGE],
  );
  ManifestChangeView.parse(view);
  expect([view.lines.length, view.lineCount]).toEqual([100, 1_000]);
  expect(sizeOf(view)).toBeLessThan(800_000);
});

test('[S20] messages to it, and what was said, are bounded', () => {
  const message: InboxMessage = {
    messageId: HUGE,
    messageType: 'question',
    content: HUGE,
    sender: HUGE,
    priority: 'normal',
    createdAt: HUGE,
    expiresAt: HUGE,
  };
  const waiting = messageView(message);
  InboxView.parse(waiting);
  expect(sizeOf(waiting)).toBeLessThan(40_000);
  const answer = { text: HUGE, at: HUGE };
  const delivered = deliveredView({ message, deliveredAt: HUGE, eventId: HUGE, invocation: 1, answer });
  expect(sizeOf(delivered)).toBeLessThan(80_000);
  const conversation = many(1_000, (at): JsonObject => ({
    role: HUGE,
    content: at % 2 === 0 ? HUGE : [HUGE],
  }));
  const view = conversationView({ ...emptySnapshot(), conversation });
  ProcessDetail.shape.conversation.parse(view);
  expect([view.messages.length, view.count]).toEqual([30, 1_000]);
  expect(sizeOf(view)).toBeLessThan(150_000);
});
