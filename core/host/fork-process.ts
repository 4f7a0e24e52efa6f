// A fork as operators ask for it: another state, other settings, a name.

import type { RequestOf } from '../contract/requests.ts';
import type { ForkPlanView } from '../contract/views.ts';
import { define, type Json } from '../model/json.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import type { LiveWorkspace } from './live-workspace.ts';
import { parseJson } from './parse-json.ts';
import { forkPlanView } from './plan-views.ts';

type Asked = Pick<RequestOf<'fork.plan'>, 'at' | 'name' | 'set' | 'configure' | 'process'>;

/** @throws what makes it impossible, before anything is done */
export async function planFork(live: LiveWorkspace, asked: Asked): Promise<ForkPlanView> {
  const { process, at, name } = asked;
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
  const manifest = live.forkManifest(process.name, name, valuesOf(asked.configure, 'setting'));
  const order = { from: process.name, at, set: valuesOf(asked.set, 'key') };
  const { left } = await live.runtime.fork(manifest.definition, order, { actor, keep: manifest.write });
  live.began(name, manifest.path);
  const behind = [
    counted(left.queue.length, 'event'),
    counted(left.inbox.length, 'inbox message'),
    counted(left.promises.length, 'promise'),
    counted(left.timers.length, 'timer'),
  ].filter((text) => text !== '');
  const stays = behind.length === 0 ? '' : ` ${behind.join(', ')} stay with ${process.name}.`;
  return `${name} begins where ${process.name} was at entry ${at}: suspended, and with its triggers off.${stays}`;
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;
}

function valuesOf(texts: Readonly<Record<string, string>>, what: string): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [key, text] of Object.entries(texts)) define(values, key, parseJson(text, `${what} ${key}`));
  return values;
}
