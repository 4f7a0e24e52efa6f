// What the journal tells of an agent's changes to itself.

import { isObject, numberAt, objectAt, objectsAt, textAt, type Json, type JsonObject } from './json.ts';
import { spentOfCaps } from './fold-caps.ts';
import { amountsOf, plus } from './meters.ts';
import {
  MAX_CHANGES,
  MAX_STEPS_BACK,
  standing,
  type ChangeEnd,
  type SelfChange,
  type SelfKind,
  type SelfState,
} from './self-change.ts';
import { openOf, type ProcessSnapshot } from './snapshot.ts';

interface Said {
  readonly entry_type: string;
  readonly data: JsonObject;
  readonly timestamp: string;
  readonly seq: number;
}

/** After what the entry says of settings, triggers or anything else was taken in. */
export function selfChanged(state: ProcessSnapshot, said: Said): void {
  const { entry_type: type, data } = said;
  switch (type) {
    case 'settings_changed':
      instructionsChanged(state, said);
      return;
    case 'configured':
      manifestChanged(state, said);
      return;
    case 'trigger_added':
      begun(state, said, { kind: 'trigger', what: textAt(data, 'trigger_id') });
      return;
    case 'trigger_removed':
      over(state, said, { kind: 'trigger', what: textAt(data, 'trigger_id') });
      return;
    case 'server_connected':
      serverConnected(state, said);
      return;
    case 'server_disconnected':
      serverDisconnected(state, said);
      return;
    case 'process_spawned':
      processSpawned(state, said);
      return;
    case 'process_discarded':
      processDiscarded(state, said);
      return;
    case 'spawned':
      state.parent = {
        process: textAt(data, 'parent'),
        depth: Math.max(1, numberAt(data, 'depth', 1)),
        isDiscarded: false,
      };
      return;
    case 'discarded':
      if (state.parent !== null) state.parent = { ...state.parent, isDiscarded: true };
      return;
    default:
      return;
  }
}

interface Named {
  readonly kind: SelfKind;
  readonly what: string;
}

/** Only what an effect asked for is the agent's own doing; an entry without a key is somebody else's. */
function begun(
  state: ProcessSnapshot,
  { data, timestamp, seq }: Said,
  { kind, what, before }: Named & { readonly before?: Json },
): void {
  const key = textAt(data, 'key');
  if (key === '') return;
  const change: SelfChange = {
    seq,
    key,
    kind,
    what,
    eventId: textAt(data, 'event_id'),
    at: timestamp,
    reason: textAt(data, 'reason'),
    ...(before === undefined ? {} : { before }),
    end: null,
  };
  state.self = { ...state.self, changes: kept(state, [...state.self.changes, change]) };
}

/** The oldest that are over go first, but not while their effects may be asked for again. */
function kept(state: ProcessSnapshot, changes: readonly SelfChange[]): readonly SelfChange[] {
  let left = changes;
  while (left.length > MAX_CHANGES) {
    const goes = left.find(({ end, eventId }) => end !== null && openOf(state, eventId) === undefined);
    if (goes === undefined) return left;
    left = left.filter((change) => change !== goes);
  }
  return left;
}

function over(state: ProcessSnapshot, said: Said, { kind, what }: Named): void {
  const how = Array.isArray(said.data['undoes']) ? 'undone' : 'removed';
  const isMeant = (change: SelfChange): boolean => change.kind === kind && change.what === what;
  end(state, isMeant, endOf(said, how));
}

function end(state: ProcessSnapshot, isMeant: (change: SelfChange) => boolean, how: ChangeEnd): void {
  const { changes } = state.self;
  if (!changes.some((change) => change.end === null && isMeant(change))) return;
  const ended = changes.map((change): SelfChange => {
    if (change.end !== null || !isMeant(change)) return change;
    const { before: _, ...rest } = change;
    return { ...rest, end: how };
  });
  state.self = { ...state.self, changes: kept(state, ended) };
}

function endOf({ data, timestamp }: Said, how: ChangeEnd['how']): ChangeEnd {
  return {
    how,
    at: timestamp,
    actor: textAt(data, 'actor'),
    reason: textAt(data, 'reason'),
    key: textAt(data, 'key'),
  };
}

function isInstructions({ kind }: SelfChange): boolean {
  return kind === 'instructions';
}

function instructionsChanged(state: ProcessSnapshot, said: Said): void {
  const { data, timestamp } = said;
  const { undoes } = data;
  if (Array.isArray(undoes)) {
    end(state, (one) => isInstructions(one) && undoes.includes(one.seq), endOf(said, 'undone'));
    return;
  }
  const change = objectsAt(data, 'changes').find((one) => textAt(one, 'path') === 'instructions');
  if (change === undefined) return;
  if (textAt(data, 'key') === '') {
    end(state, isInstructions, endOf(said, 'replaced'));
    return;
  }
  begun(state, said, { kind: 'instructions', what: '', before: change['from'] ?? null });
  rebuilt(state);
  // The first says what there was before all of them, so the one behind it goes.
  const [, second, ...rest] = standing(state.self, 'instructions');
  if (second !== undefined && rest.length > MAX_STEPS_BACK - 2) {
    const reason = 'newer ones are kept in its place';
    const how: ChangeEnd = { how: 'replaced', at: timestamp, actor: 'host', reason, key: '' };
    end(state, ({ seq }) => seq === second.seq, how);
  }
}

/** The manifest's own word on the instructions may be the later one. */
function manifestChanged(state: ProcessSnapshot, said: Said): void {
  if (Object.hasOwn(state.settings, 'instructions')) return;
  end(state, isInstructions, {
    ...endOf(said, 'replaced'),
    actor: 'host',
    reason: 'the manifest was changed',
  });
}

function rebuilt(state: ProcessSnapshot): void {
  state.self = { ...state.self, rebuilds: state.self.rebuilds + 1 };
}

function serverConnected(state: ProcessSnapshot, said: Said): void {
  const name = textAt(said.data, 'name');
  const server = objectAt(said.data, 'server');
  if (name === '' || server === null) return;
  state.self = withServers(state.self, [...others(state.self, name), [name, server]]);
  begun(state, said, { kind: 'server', what: name });
  rebuilt(state);
}

function serverDisconnected(state: ProcessSnapshot, said: Said): void {
  const name = textAt(said.data, 'name');
  state.self = withServers(state.self, others(state.self, name));
  over(state, said, { kind: 'server', what: name });
  if (textAt(said.data, 'key') !== '') rebuilt(state);
}

function others({ servers }: SelfState, name: string): readonly [string, JsonObject][] {
  return Object.entries(servers).filter(([other]) => other !== name);
}

function withServers(self: SelfState, servers: readonly (readonly [string, JsonObject])[]): SelfState {
  return { ...self, servers: Object.fromEntries(servers) };
}

function processSpawned(state: ProcessSnapshot, said: Said): void {
  const { data } = said;
  const name = textAt(data, 'child');
  if (name === '' || state.self.spawned.some((child) => child.name === name)) return;
  const secrets = data['secrets'];
  const child = {
    name,
    instructions: textAt(data, 'instructions'),
    triggers: objectsAt(data, 'triggers').filter(isObject),
    secrets: Array.isArray(secrets) ? secrets.filter((secret) => typeof secret === 'string') : [],
    task: textAt(data, 'task'),
  };
  state.self = { ...state.self, spawned: [...state.self.spawned, child] };
  begun(state, said, { kind: 'process', what: name });
}

/** What it has used of the day is its parent's from now on, so that nothing of it is forgotten [P4]. */
function processDiscarded(state: ProcessSnapshot, said: Said): void {
  const name = textAt(said.data, 'child');
  const { spawned } = state.self;
  if (!spawned.some((child) => child.name === name)) return;
  state.self = { ...state.self, spawned: spawned.filter((child) => child.name !== name) };
  over(state, said, { kind: 'process', what: name });
  const spent = amountsOf(said.data['spent']);
  state.budget = { ...state.budget, spent: plus(state.budget.spent, spent) };
  spentOfCaps(state, spent);
}
