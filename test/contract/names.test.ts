// The contract is one table; whoever needs only the names must not see others.

import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../core/contract/events.ts';
import { EVENT_NAMES, eventChannel, REQUEST_NAMES, requestChannel } from '../../core/contract/names.ts';
import { REQUESTS } from '../../core/contract/requests.ts';

test('the names are those of the tables, each once', () => {
  expect([...REQUEST_NAMES].sort()).toEqual(Object.keys(REQUESTS).sort());
  expect([...EVENT_NAMES].sort()).toEqual(Object.keys(EVENTS).sort());
  expect(new Set([...REQUEST_NAMES.map(requestChannel), ...EVENT_NAMES.map(eventChannel)]).size).toBe(
    REQUEST_NAMES.length + EVENT_NAMES.length,
  );
});

test.each(Object.entries(REQUESTS))('%s is defined under its own name', (name, definition) => {
  expect(definition.name).toBe(name);
});

describe('a request of any kind', () => {
  const COMMAND = {
    journalId: 'journal',
    process: 'clerk',
    commandId: '00000000-0000-4000-8000-000000000001',
    reason: 'asked',
  };
  const { process: _, ...OF_WORKSPACE } = COMMAND;
  const GOOD: Readonly<Record<keyof typeof REQUESTS, object>> = {
    'app.info': {},
    'fleet.read': {},
    'journals.open': { path: '/somewhere' },
    'journals.choose': {},
    'journals.close': { journalId: 'journal' },
    'processes.read': { journalId: 'journal', process: 'clerk' },
    'processes.watch': { target: null },
    'timeline.read': { journalId: 'journal', process: 'clerk', before: null, limit: 50 },
    'processes.start': COMMAND,
    'processes.suspend': COMMAND,
    'processes.resume': COMMAND,
    'processes.stop': COMMAND,
    'processes.trigger': { ...COMMAND, payloadText: '{}' },
    'processes.kill-worker': COMMAND,
    'processes.force-recover': COMMAND,
    'processes.restart': COMMAND,
    'processes.preview': { journalId: 'journal', process: 'clerk', action: 'resume' },
    'effects.resolve': { ...COMMAND, effectId: 'e/mail#0', resolution: { kind: 'skip' } },
    'promises.settle': {
      ...COMMAND,
      process: null,
      promiseId: 'p_1',
      settlement: { kind: 'resolved', valueText: 'true' },
    },
    'waiting.read': { journalId: 'journal' },
    'waiting.show': { journalId: 'journal', process: 'clerk', kind: 'approval', id: 'p_1' },
    'approvals.decide': {
      ...COMMAND,
      process: null,
      promiseId: 'p_1',
      decision: { kind: 'approve', argsText: '{}' },
    },
    'processes.signal': { ...COMMAND, name: 'go', payloadText: '1' },
    'processes.query': { journalId: 'journal', process: 'clerk', name: 'step', argsText: '{}' },
    'inbox.write': {
      ...COMMAND,
      messageType: 'directive',
      content: 'slow down',
      priority: 'normal',
      expiresInSeconds: null,
    },
    'deadletters.redeliver': { ...COMMAND, eventId: 'e', asNew: false },
    'deadletters.drop': { ...COMMAND, eventId: 'e' },
    'triggers.add': { ...COMMAND, configText: '{"type":"cron","cron_expression":"0 9 * * *"}' },
    'triggers.remove': { ...COMMAND, triggerId: 'cron-1' },
    'triggers.pause': { ...COMMAND, triggerId: null },
    'triggers.resume': { ...COMMAND, triggerId: 'cron-1' },
    'triggers.fire': { ...COMMAND, triggerId: 'cron-1', payloadText: '{}' },
    'mission.change': { ...COMMAND, order: 'pause' },
    'budget.extend': { ...COMMAND, limit: 'max_cost_per_day', amount: 2.5, forMs: null },
    'escalation.test': COMMAND,
    'health.clear': { ...COMMAND, type: 'stuck' },
    'settings.change': { ...COMMAND, set: { 'budget.max_cost_per_day': '5' }, undo: [] },
    'self.undo': { ...COMMAND, changes: null },
    'settings.plan': { journalId: 'journal', process: 'clerk', set: {}, undo: ['budget.max_cost_per_day'] },
    'workspace.hold-triggers': {
      journalId: 'journal',
      commandId: '00000000-0000-4000-8000-000000000001',
      reason: 'asked',
    },
    'workspace.release-triggers': {
      journalId: 'journal',
      commandId: '00000000-0000-4000-8000-000000000001',
      reason: '',
    },
    'workspace.changes': { journalId: 'journal' },
    'workspace.reload': {
      ...OF_WORKSPACE,
      changes: [{ of: 'clerk', id: null }],
      isRemoving: false,
    },
    'manifests.read': { journalId: 'journal', of: { process: 'clerk' } },
    'manifests.plan': { journalId: 'journal', file: 'clerk.agent', text: 'name: clerk' },
    'manifests.write': {
      ...OF_WORKSPACE,
      file: 'clerk.agent',
      text: 'name: clerk',
      expected: null,
      isApplied: false,
    },
    'manifests.remove': {
      ...OF_WORKSPACE,
      file: 'clerk.agent',
      expected: 'a'.repeat(64),
      typed: 'clerk',
      isApplied: true,
    },
    'manifests.schema': {},
    'metrics.read': { journalId: 'journal' },
    'secrets.rotate': { ...COMMAND, name: 'API_KEY', value: 'another-value-1', ttlMs: null },
    'secrets.revoke': { ...COMMAND, name: null },
    'rewind.plan': { journalId: 'journal', process: 'clerk', to: 7, isHandledAgain: true },
    'rewind.apply': { ...COMMAND, to: 7, isHandledAgain: false, undone: null },
    'fork.plan': { journalId: 'journal', process: 'clerk', at: 7, name: 'other', set: {}, configure: {} },
    'fork.apply': { ...COMMAND, at: 7, name: 'other', set: { key: '1' }, configure: {} },
    'memory.search': { journalId: 'journal', process: 'clerk', text: '', max: 50, skip: 0 },
    'memory.read': { journalId: 'journal', process: 'clerk', id: 'mem_1' },
    'memory.write': { ...COMMAND, id: null, text: 'tea', isPinned: false },
    'memory.forget': { ...COMMAND, id: 'mem_1', collection: null },
    'memory.repair': COMMAND,
    'costs.read': { journalId: 'j', process: 'p', limit: 10 },
    'tools.read': { journalId: 'journal', process: 'clerk' },
    'output.read': { journalId: 'journal', process: 'clerk', before: null, limit: 50 },
  };

  test.each(REQUEST_NAMES)('%s takes what it says, and nothing that it does not say', (name) => {
    const { request } = REQUESTS[name];
    expect(request.safeParse(GOOD[name]).success).toBe(true);
    expect(request.safeParse({ ...GOOD[name], extra: 1 }).success).toBe(false);
    for (const wrong of [null, undefined, 1, 'text', []])
      expect(request.safeParse(wrong).success).toBe(false);
  });

  test('[P7] what ends work or decides a doubt needs a reason', () => {
    for (const name of [
      'processes.kill-worker',
      'processes.force-recover',
      'processes.restart',
      'effects.resolve',
      'deadletters.drop',
      'triggers.remove',
      'triggers.pause',
      'secrets.rotate',
      'secrets.revoke',
      'rewind.apply',
      'fork.apply',
      'memory.forget',
      'memory.repair',
    ] as const) {
      expect(REQUESTS[name].request.safeParse({ ...GOOD[name], reason: '' }).success).toBe(false);
    }
    expect(REQUESTS['processes.suspend'].request.safeParse({ ...COMMAND, reason: '' }).success).toBe(true);
  });

  test('a command without an id of its own is no command', () => {
    const { commandId: _, ...without } = COMMAND;
    expect(REQUESTS['processes.stop'].request.safeParse(without).success).toBe(false);
    expect(REQUESTS['processes.stop'].request.safeParse({ ...COMMAND, commandId: '1' }).success).toBe(false);
  });

  test('sizes are bounded, so that no page can make a host hold more', () => {
    const refused: readonly (readonly [keyof typeof REQUESTS, object])[] = [
      ['journals.open', { path: 'x'.repeat(4097) }],
      ['timeline.read', { ...GOOD['timeline.read'], limit: 201 }],
      ['timeline.read', { ...GOOD['timeline.read'], limit: 0 }],
      ['timeline.read', { ...GOOD['timeline.read'], limit: 1.5 }],
      ['processes.suspend', { ...COMMAND, reason: 'x'.repeat(501) }],
      ['processes.read', { journalId: '', process: 'clerk' }],
      ['processes.trigger', { ...COMMAND, payloadText: 'x'.repeat(100_001) }],
    ];
    for (const [name, request] of refused)
      expect(REQUESTS[name].request.safeParse(request).success).toBe(false);
  });
});
