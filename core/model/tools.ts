// What the journal knows of the tools that a model agent is offered: each list once, by its hash, however many invocations
// begin with it; an invocation keeps the one that it began with [S25].

import type { JsonObject } from './json.ts';

/** What an invocation found. */
export interface ListedTools {
  readonly hash: string;
  /** What could not be offered, and why, one line each. */
  readonly problems: readonly string[];
}

export interface ToolsState {
  /** What was found last; null before anything was. */
  readonly last: (ListedTools & { readonly at: string }) | null;
  /** Offers by the hash of their list: the last one, and those that somebody may still go on with. */
  readonly lists: Readonly<Record<string, readonly JsonObject[]>>;
  /**
   * Of tools whose class a trusted server chose, by `<source>/<tool>`: the fingerprint of what it said then. What it says
   * otherwise later is not believed [S32].
   */
  readonly believed: Readonly<Record<string, string>>;
}

export const MAX_BELIEVED = 1_000;
/** Of a list, and of its problems, as JSON. */
export const MAX_LIST_BYTES = 256 * 1024;
/** Of the lists that only dead letters began with, together: who began with one that had no room lists anew. */
export const MAX_DEAD_LISTS_BYTES = 4 * 1024 * 1024;
export const MAX_PROBLEMS = 100;
export const MAX_PROBLEM = 500;

export function emptyTools(): ToolsState {
  return { last: null, lists: {}, believed: {} };
}

export function believedKey(source: string, tool: string): string {
  return `${source}/${tool}`;
}

/**
 * Who says how a tool that failed half way is handled: the manifest or an operator in its place, the annotation of a trusted
 * server, nobody any more because that annotation has changed, or nobody.
 */
export const DECIDERS = ['manifest', 'annotation', 'changed', 'default'] as const;
export type Decider = (typeof DECIDERS)[number];

export const SERVER_STATES = ['idle', 'starting', 'connected', 'down'] as const;

/** How a worker gets on with one of its servers of tools. */
export interface ServerStatus {
  readonly server: string;
  readonly state: (typeof SERVER_STATES)[number];
  /** Of one that is down. */
  readonly why: string;
  /** Epoch milliseconds of the next attempt; null unless it is down and will be tried again. */
  readonly retryAt: number | null;
}

/** Where an operator's word about a tool stands among the settings; the keys of its path. */
export function toolSetting(name: string, key: 'disabled' | 'class'): readonly string[] {
  return ['holdfast', 'tools', name, key];
}
