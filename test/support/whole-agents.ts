// Model agents as their manifests say them, with everything real around them: a host, workers, servers of tools, and a
// provider of models over HTTP.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../../core/journal/layout.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { textAt, type Json, type JsonObject } from '../../core/model/json.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import type { HostileOptions } from './hostile-mcp-server.ts';
import { openLive, type OpenedLive } from './open-live.ts';
import { isIdle } from './runtime.ts';
import { tempDirectory } from './temp-directory.ts';
import { waitFor } from './wait-for.ts';

const SERVER = fileURLToPath(new URL('./hostile-mcp-server.ts', import.meta.url));
export const AGENT = 'clerk';

/** A manifest's server that writes a line for each call that it gets into `calls.txt` of the workspace. */
export function countingServer(options: HostileOptions = {}): JsonObject {
  const ledger = 'calls.txt';
  return { command: process.execPath, args: [SERVER, JSON.stringify({ ledger, ...options })] };
}

export interface Whole {
  readonly workspace: string;
  readonly opened: OpenedLive;
  readonly process: AgentProcess;
  /** Lines of `calls.txt`: the name of a tool, and its arguments. */
  calls(): readonly string[];
  entries(process?: string): Promise<readonly StoredEntry[]>;
  until(what: string, look: (process: AgentProcess) => unknown): Promise<void>;
  /** Hands in an event and gives what was replied, when nothing is left to do. */
  turn(payload?: Json): Promise<string>;
  /** What was replied to an event. */
  reply(eventId: string): Promise<string>;
  /** Another host on the same workspace. */
  again(): Promise<Whole>;
}

/** A workspace of one model agent, and whatever files it needs. Manifests are JSON, which is YAML. */
export function writeWhole(
  manifest: JsonObject,
  files: Readonly<Record<string, string>> = {},
  workspace: string = join(tempDirectory(), 'agents'),
): string {
  for (const [name, text] of Object.entries({
    ...files,
    [`${AGENT}.agent`]: JSON.stringify({ version: '1.0', name: AGENT, ...manifest }, null, 2),
  })) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  return workspace;
}

export async function startWhole(workspace: string): Promise<Whole> {
  const opened = await openLive(workspace);
  if (opened.live.problems.length > 0) throw new Error(opened.live.problems.map(String).join('\n'));
  const process = opened.live.runtime.process(AGENT);
  const calls = join(workspace, 'calls.txt');
  const whole: Whole = {
    workspace,
    opened,
    process,
    // Whole lines: one that is being written is none yet.
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').slice(0, -1) : []),
    entries: async (name = AGENT) => {
      await opened.live.runtime.process(name).settled();
      return readFileJournal(join(workspace, WORKSPACE_JOURNAL)).read(name);
    },
    until: async (what, look) => void (await waitFor(() => Boolean(look(process)), { what })),
    turn: async (payload = 'go') => whole.reply(await process.trigger(payload)),
    reply: async (eventId) => {
      await whole.until('the end of the turn', isIdle);
      const result = (await whole.entries()).findLast(
        ({ entry_type, data }) => entry_type === 'invocation_result' && data['event_id'] === eventId,
      );
      if (result === undefined) throw new Error(`it failed: ${JSON.stringify(process.snapshot.lastError)}`);
      return textAt(result.data, 'response');
    },
    again: async () => {
      await opened.close();
      return startWhole(workspace);
    },
  };
  return whole;
}

export async function whole(
  manifest: JsonObject,
  files: Readonly<Record<string, string>> = {},
): Promise<Whole> {
  return startWhole(writeWhole(manifest, files));
}

/** The data of all entries of a type. */
export async function dataOf(of: Whole, type: string): Promise<readonly JsonObject[]> {
  return (await of.entries()).filter(({ entry_type }) => entry_type === type).map(({ data }) => data);
}
