// What operators change of settings while a process lives.

import type { RequestOf } from '../contract/requests.ts';
import type { SettingsPlanView } from '../contract/settings-views.ts';
import { define, showJson, type Json } from '../model/json.ts';
import type { SettingChange } from '../model/settings.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { SettingsOrder } from '../runtime/live-settings.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { cut } from './cut.ts';
import { parseJson } from './parse-json.ts';

const MAX_TEXT = 1_000;

type Asked = Pick<RequestOf<'settings.change'>, 'set' | 'undo'>;

/** Resolves with a sentence about what was done. */
export async function changeSettings(process: AgentProcess, asked: Asked, actor: Actor): Promise<string> {
  const changes = await process.changeSettings(orderOf(asked), actor);
  if (changes.length === 0) return `${process.name} has it so already; nothing was changed.`;
  return `${process.name} has ${changes.map(changeText).join(', ')} from now on.`;
}

/** What would change; nothing is done. */
export function planSettings(process: AgentProcess, asked: Asked): SettingsPlanView {
  return {
    process: process.name,
    changes: process.settings.plan(orderOf(asked)).map(({ path, manifest, from, to }) => ({
      path: cut(path, MAX_TEXT),
      manifestText: shown(manifest),
      fromText: shown(from),
      toText: shown(to),
    })),
  };
}

function orderOf({ set, undo }: Asked): SettingsOrder {
  const values: Record<string, Json> = {};
  for (const [path, text] of Object.entries(set)) define(values, path, parseJson(text, `value of ${path}`));
  return { set: values, undo };
}

function changeText({ path, to }: SettingChange): string {
  return cut(`${path} ${to === null ? 'not set' : `= ${showJson(to)}`}`, MAX_TEXT);
}

function shown(value: Json): string | null {
  return value === null ? null : cut(showJson(value), MAX_TEXT);
}
