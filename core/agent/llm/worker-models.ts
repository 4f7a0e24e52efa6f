// The models of a worker: opened once for each name and key, and again when a key was changed meanwhile.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { KEY_NAMES, openModel, type OpenedModel } from '../models/open-model.ts';
import { parseModelName } from '../models/model-name.ts';
import { SecretUnavailable } from '../effect-errors.ts';
import type { Turn } from './tool.ts';

const MAX_OPENED = 100;
const opened = new Map<string, Promise<OpenedModel>>();

/** @throws `model.*`, `secret.*`; nothing was sent to anybody then */
export async function openedModel(turn: Turn, name: string): Promise<OpenedModel> {
  const { provider } = parseModelName(name);
  const { keys, refusal } = provider === 'scripted' ? NO_KEYS : await keysOf(turn, KEY_NAMES[provider]);
  // Without any it may be that a key there is was taken away.
  if (refusal !== null && Object.keys(keys).length === 0) throw refusal;
  const { workspace, plan } = turn;
  const stamp = provider === 'scripted' ? stampOf(turn, name) : '';
  const key = JSON.stringify([name, keys, workspace, plan.modelTimeoutMs, stamp]);
  const known = opened.get(key);
  if (known !== undefined) return known;
  if (opened.size >= MAX_OPENED) opened.clear();
  const opening = openModel(name, { keys, directory: workspace, timeoutMs: plan.modelTimeoutMs });
  opened.set(key, opening);
  opening.catch(() => opened.delete(key));
  return opening;
}

interface Keys {
  readonly keys: Readonly<Record<string, string>>;
  /** Of one that the manifest names and that can't be had. */
  readonly refusal: SecretUnavailable | null;
}
const NO_KEYS: Keys = { keys: {}, refusal: null };

async function keysOf({ ctx }: Turn, names: readonly string[]): Promise<Keys> {
  const keys: Record<string, string> = {};
  let refusal: SecretUnavailable | null = null;
  for (const name of names) {
    try {
      keys[name] = await ctx.secret(name);
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      // One that no manifest names is none; what that means the model's provider decides.
      if (error.refusal !== 'unknown') refusal ??= error;
    }
  }
  return { keys, refusal };
}

/** A script that was changed is another model. */
function stampOf({ workspace }: Turn, name: string): string {
  try {
    const { mtimeMs, size } = statSync(resolve(workspace, name.slice(name.indexOf(':') + 1)));
    return `${mtimeMs} ${size}`;
  } catch {
    // Whoever opens it says what is wrong with it.
    return '';
  }
}
