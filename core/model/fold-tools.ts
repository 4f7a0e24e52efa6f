// What the journal tells of tools: which list an invocation began with, and what of its sources is believed.

import { define, isObject, objectsAt, textAt, type JsonObject } from './json.ts';
import { openOf, type ProcessSnapshot } from './snapshot.ts';
import { believedKey, MAX_BELIEVED, MAX_LISTS, type ToolsState } from './tools.ts';

/** Without offers it names a list that is known; one that nobody has any more is as if nothing had been said. */
export function toolsListed(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const hash = textAt(data, 'hash');
  const offers = Array.isArray(data['offers']) ? [...objectsAt(data, 'offers')] : listOf(state.tools, hash);
  if (hash === '' || offers === null) return;
  const given: readonly unknown[] = Array.isArray(data['problems']) ? data['problems'] : [];
  const problems = given.filter((problem) => typeof problem === 'string');
  const open = openOf(state, data['event_id']);
  if (open !== undefined) open.tools = { hash, problems };
  const lists: Record<string, readonly JsonObject[]> = {};
  for (const kept of keptHashes(state, hash)) {
    const list = kept === hash ? offers : listOf(state.tools, kept);
    if (list !== null) define(lists, kept, list);
  }
  state.tools = {
    last: { hash, problems, at: timestamp },
    lists,
    believed: believedSince(state.tools.believed, offers),
  };
}

/** The newest, then what is under way, then what may be handled again. */
function keptHashes({ open, deadLetters }: ProcessSnapshot, newest: string): readonly string[] {
  const others = [...open, ...deadLetters.map((letter) => letter.open).reverse()];
  const hashes = others.flatMap((one) => one?.tools?.hash ?? []);
  return [...new Set([newest, ...hashes])].slice(0, MAX_LISTS);
}

function believedSince(
  believed: ToolsState['believed'],
  offers: readonly JsonObject[],
): ToolsState['believed'] {
  const since: Record<string, string> = { ...believed };
  for (const offer of offers) {
    const key = believedKey(textAt(offer, 'source'), textAt(offer, 'tool'));
    const isNew = offer['decidedBy'] === 'annotation' && !Object.hasOwn(since, key);
    if (isNew && Object.keys(since).length < MAX_BELIEVED) define(since, key, textAt(offer, 'fingerprint'));
  }
  return since;
}

/** The offers of a list; null where it is not kept. */
export function listOf({ lists }: ToolsState, hash: string): readonly JsonObject[] | null {
  return Object.hasOwn(lists, hash) ? lists[hash]!.filter(isObject) : null;
}
