// What the journal tells of tools: which list an invocation began with, and what of its sources is believed.

import { define, isObject, objectsAt, textAt, type JsonObject } from './json.ts';
import { jsonBytes } from './limits.ts';
import { openOf, type ProcessSnapshot } from './snapshot.ts';
import { believedKey, MAX_BELIEVED, MAX_DEAD_LISTS_BYTES, type ToolsState } from './tools.ts';

/** Without offers it names a list that is known; one that nobody has any more is as if nothing had been said. */
export function toolsListed(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const hash = textAt(data, 'hash');
  const offers = Array.isArray(data['offers']) ? [...objectsAt(data, 'offers')] : listOf(state.tools, hash);
  if (hash === '' || offers === null) return;
  const given: readonly unknown[] = Array.isArray(data['problems']) ? data['problems'] : [];
  const problems = given.filter((problem) => typeof problem === 'string');
  const open = openOf(state, data['event_id']);
  if (open !== undefined) open.tools = { hash, problems };
  state.tools = {
    last: { hash, problems, at: timestamp },
    lists: keptLists(state, hash, offers),
    believed: believedSince(state.tools.believed, offers),
  };
}

/**
 * The newest, all that are under way, and those of dead letters, which may be handled again: the latest first, as long as
 * there is room, for a server may say something else each time it is asked.
 */
function keptLists(
  { tools, open, deadLetters }: ProcessSnapshot,
  newest: string,
  offers: readonly JsonObject[],
): Record<string, readonly JsonObject[]> {
  const lists: Record<string, readonly JsonObject[]> = {};
  define(lists, newest, offers);
  const keep = (hash: string | undefined, hasRoom: (list: readonly JsonObject[]) => boolean): void => {
    const list = hash === undefined || Object.hasOwn(lists, hash) ? null : listOf(tools, hash);
    if (list !== null && hasRoom(list)) define(lists, hash!, list);
  };
  for (const one of open) keep(one.tools?.hash, () => true);
  let room = MAX_DEAD_LISTS_BYTES;
  for (const letter of deadLetters.toReversed()) {
    keep(letter.open?.tools?.hash, (list) => {
      room -= jsonBytes(list);
      return room >= 0;
    });
  }
  return lists;
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
