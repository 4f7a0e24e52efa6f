// What operators change of settings while a process lives.

import type { RequestOf } from '../contract/requests.ts';
import type { SettingsPlanView } from '../contract/settings-views.ts';
import { listOf } from '../model/fold-tools.ts';
import { define, showJson, textAt, type Json } from '../model/json.ts';
import { keysOf, type SettingChange } from '../model/settings.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { SettingsOrder } from '../runtime/live-settings.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { cut } from './cut.ts';
import { parseJson } from './parse-json.ts';

const MAX_TEXT = 1_000;
const MAX_NAME = 100;

type Asked = Pick<RequestOf<'settings.change'>, 'set' | 'undo'>;

/** Resolves with a sentence about what was done. */
export async function changeSettings(process: AgentProcess, asked: Asked, actor: Actor): Promise<string> {
  const changes = await process.governance.changeSettings(orderOf(asked), actor);
  if (changes.length === 0) return `${process.name} has it so already; nothing was changed.`;
  const unknown = toolsUnknown(process, changes);
  const doubt =
    unknown.length === 0
      ? ''
      : ` It was not offered ${unknown.map((name) => cut(name, MAX_NAME)).join(', ')} when its tools were looked for last: if that is no tool yet to come, take it back.`;
  return `${process.name} has ${changes.map(changeText).join(', ')} from now on.${doubt}`;
}

/** Tools that something was said of and that were not found: mostly it is the name that is wrong. */
function toolsUnknown(
  { snapshot: { tools } }: Pick<AgentProcess, 'snapshot'>,
  changes: readonly SettingChange[],
): readonly string[] {
  const offers = tools.last === null ? null : listOf(tools, tools.last.hash);
  if (offers === null) return [];
  const known = new Set(offers.map((offer) => textAt(offer, 'name')));
  const said = changes.flatMap(({ path, to }) => (to === null ? [] : (toolOf(keysOf(path)) ?? [])));
  return [...new Set(said)].filter((name) => !known.has(name));
}

function toolOf([section, tools, name]: readonly string[]): string | undefined {
  return section === 'holdfast' && tools === 'tools' ? name : undefined;
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
