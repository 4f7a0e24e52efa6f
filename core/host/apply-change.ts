// Puts one change of a manifest in force.

import { AppError, messageOf } from '../model/errors.ts';
import type { AgentRuntime } from '../runtime/agent-runtime.ts';
import type { Actor } from '../runtime/lifecycle-driver.ts';
import { refuseName } from './fork-process.ts';
import type { PendingChange } from './manifest-changes.ts';
import { recordAsked, recordOutcome, type ManifestOrder } from './manifest-records.ts';

export interface Applying extends ManifestOrder {
  readonly runtime: AgentRuntime;
  /** Of the journal. */
  readonly directory: string;
}

/** Resolves with what was done, when it is durable. @throws what the runtime refuses, with everything as it was */
export async function applyChange(change: PendingChange, applying: Applying): Promise<string> {
  switch (change.kind) {
    case 'changed':
      return reload(change, applying);
    case 'added':
      return add(change, applying);
    case 'removed':
      return remove(change, applying);
    case 'faulty':
      throw new AppError(
        'manifest.invalid',
        `${change.file} can't be used, so nothing of it was put in force. Mend it first.`,
        { file: change.file },
      );
  }
}

async function reload({ process: name, on }: PendingChange, applying: Applying): Promise<string> {
  const { runtime } = applying;
  const before = runtime.process(name!);
  await recordAsked(before, 'reload', applying);
  try {
    await runtime.reload(on!.definition!, actorOf(applying));
  } catch (error) {
    await recordOutcome(before, false, messageOf(error), applying);
    throw error;
  }
  const process = runtime.process(name!);
  const { live, snapshot } = process;
  const message =
    live.trouble === null
      ? `${name} was loaded anew, and is ${snapshot.lifecycle}.`
      : `${name} was loaded anew, and can't go on: ${live.trouble.message}`;
  await recordOutcome(process, live.trouble === null, message, applying);
  return message;
}

async function add({ process: name, on }: PendingChange, applying: Applying): Promise<string> {
  const { runtime, directory } = applying;
  refuseName(directory, name!);
  await runtime.add(on!.definition!, (process) => recordAsked(process, 'add', applying));
  const process = runtime.process(name!);
  const message = `${name} was added, and is ${process.snapshot.lifecycle}.`;
  await recordOutcome(process, true, message, applying);
  return message;
}

async function remove({ process: name }: PendingChange, applying: Applying): Promise<string> {
  const { runtime } = applying;
  const process = runtime.process(name!);
  const message = `${name} was stopped and let go of; its journal stays.`;
  await recordAsked(process, 'remove', applying);
  try {
    // While it can still be recorded.
    await runtime.remove(name!, actorOf(applying), () => recordOutcome(process, true, message, applying));
  } catch (error) {
    await recordOutcome(process, false, messageOf(error), applying);
    throw error;
  }
  return message;
}

function actorOf({ operator, reason }: Applying): Actor {
  return { name: `operator:${operator}`, reason };
}
