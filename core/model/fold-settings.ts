// What the journal tells of settings: changed by people, and given up where the manifest is changed at the same place.

import { define, objectAt, objectsAt, sameJson, textAt, type Json, type JsonObject } from './json.ts';
import { MAX_SETTINGS, valueAt, type LiveSetting } from './settings.ts';
import type { ProcessSnapshot } from './snapshot.ts';

/** Together or not at all: it is one entry. */
export function settingsChanged(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const settings: Record<string, LiveSetting> = { ...state.settings };
  const names = new Set<string>();
  for (const change of objectsAt(data, 'changes')) {
    const path = textAt(change, 'path');
    if (path === '') continue;
    names.add(path.slice(path.lastIndexOf('.') + 1));
    const value: Json = change['to'] ?? null;
    const manifest: Json = change['manifest'] ?? null;
    if (sameJson(value, manifest)) delete settings[path];
    else if (Object.hasOwn(settings, path) || Object.keys(settings).length < MAX_SETTINGS) {
      const by = { actor: textAt(data, 'actor'), reason: textAt(data, 'reason'), at: timestamp };
      define(settings, path, { value, manifest, ...by });
    }
  }
  state.settings = settings;
  asksAnew(state, names);
}

/** Of another limit its nearness is told anew, and what did not fit asks again. */
function asksAnew(state: ProcessSnapshot, names: ReadonlySet<string>): void {
  const { budget } = state;
  if (budget.warned.some((limit) => names.has(limit))) {
    state.budget = { ...budget, warned: budget.warned.filter((limit) => !names.has(limit)) };
  }
  for (const open of state.open) {
    if (open.warned?.some((limit) => names.has(limit)) !== true) continue;
    open.warned = open.warned.filter((limit) => !names.has(limit));
  }
  const { exceeded } = state.budget;
  if (exceeded !== null && exceeded.cap === undefined && names.has(exceeded.limit)) {
    state.budget.exceeded = null;
  }
}

/** The manifest's word on a place is the last one where it was changed there since. */
export function settingsConfigured(state: ProcessSnapshot, data: JsonObject): void {
  const written = objectAt(objectAt(data, 'config') ?? {}, 'written');
  const paths = Object.keys(state.settings);
  if (written === null || paths.length === 0) return;
  const settings: Record<string, LiveSetting> = { ...state.settings };
  for (const path of paths) {
    if (!sameJson(valueAt(written, path), settings[path]!.manifest)) delete settings[path];
  }
  state.settings = settings;
}
