// A fork as operators ask for it: another state, other settings, a name.

import { readdirSync } from 'node:fs';
import type { RequestOf } from '../contract/requests.ts';
import type { ForkPlanView } from '../contract/rewind-views.ts';
import { checkName, entriesFile, ENTRIES_SUFFIX, nameCollision } from '../journal/process-files.ts';
import { define, type Json } from '../model/json.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { counted } from './counted.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import { parseJson } from './parse-json.ts';
import { forkPlanView } from './plan-views.ts';

type Asked = Pick<RequestOf<'fork.plan'>, 'at' | 'name' | 'set' | 'configure' | 'process'>;

/** @throws what makes it impossible, before anything is done */
export async function planFork(live: LiveWorkspace, asked: Asked): Promise<ForkPlanView> {
  const { process, at, name } = asked;
  refuseName(live.directory, name);
  live.forkManifest(process, name, valuesOf(asked.configure, 'setting'));
  const plan = await live.runtime.planFork(name, { from: process, at, set: valuesOf(asked.set, 'key') });
  return forkPlanView(name, plan);
}

/** Resolves with a sentence about what was done. */
export async function applyFork(
  live: LiveWorkspace,
  process: AgentProcess,
  asked: Omit<Asked, 'process'>,
  actor: Actor,
): Promise<string> {
  const { name, at } = asked;
  refuseName(live.directory, name);
  const manifest = live.forkManifest(process.name, name, valuesOf(asked.configure, 'setting'));
  const order = { from: process.name, at, set: valuesOf(asked.set, 'key') };
  const { left } = await live.runtime.fork(manifest.definition, order, { actor, keep: manifest.write });
  live.began(name, manifest.path);
  const kinds = [
    [left.queue.length, 'queued event'],
    [left.inbox.length, 'inbox message'],
    [left.promises.length, 'promise'],
    [left.timers.length, 'timer'],
  ] as const;
  const behind = kinds.filter(([count]) => count > 0);
  const isOne = behind.length === 1 && behind[0]![0] === 1;
  const what = behind.map(([count, one]) => counted(count, one)).join(', ');
  const stays = behind.length === 0 ? '' : ` ${what} ${isOne ? 'stays' : 'stay'} with ${process.name}.`;
  return `${name} begins where ${process.name} was at entry ${at}: suspended, and with its triggers off.${stays}`;
}

/**
 * What its journal would refuse is known before anything is written.
 * @throws `journal.name-unsupported`, `journal.name-collision` for one that differs from another in its case alone
 */
export function refuseName(directory: string, name: string): void {
  checkName(name);
  const file = entriesFile(name);
  const isTwin = (other: string): boolean => other !== file && other.toLowerCase() === file.toLowerCase();
  const twin = readdirSync(directory).find(isTwin);
  if (twin !== undefined) throw nameCollision(name, twin, twin.slice(0, -ENTRIES_SUFFIX.length));
}

function valuesOf(texts: Readonly<Record<string, string>>, what: string): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [key, text] of Object.entries(texts)) define(values, key, parseJson(text, `${what} ${key}`));
  return values;
}
