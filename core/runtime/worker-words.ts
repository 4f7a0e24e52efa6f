// What a worker says about an invocation that it has in hand, as entries of the journal.

import { createHash } from 'node:crypto';
import { listOf } from '../model/fold-tools.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock, Ids } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf } from '../model/snapshot.ts';
import { MAX_TIME_MS, timestampOf } from '../model/time.ts';
import type { FromWorker } from '../model/worker-protocol.ts';
import type { Recorder } from './recorder.ts';

/** Of a text from agent code that goes into an entry; Promptise's limit. */
export const MAX_RESPONSE = 2_000;

export type RecordedWord = Extract<
  FromWorker,
  {
    type:
      | 'state-written'
      | 'said'
      | 'compacted'
      | 'clock-read'
      | 'version-chosen'
      | 'wait-began'
      | 'message-sent'
      | 'tools-listed'
      | 'log';
  }
>;

export interface WordsOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly onWait: () => void;
  readonly onSent: () => void;
}

/** @throws `json.not-recordable` for what can't be written */
export function recordWord(options: WordsOptions, word: RecordedWord, eventId: string): void {
  const { definition, clock, ids, onWait, onSent } = options;
  const recorder = options.recorder();
  const event_id = eventId;
  switch (word.type) {
    case 'state-written': {
      const { ordinal, key, value, deleted } = word;
      const write: JsonObject = { key, value, event_id, ordinal, source: 'agent' };
      recorder.note('context_update', deleted ? { ...write, deleted } : write);
      return;
    }
    case 'said': {
      const { ordinal, role, content } = word;
      const max = definition.config.conversationMaxMessages;
      recorder.note('conversation_appended', { event_id, ordinal, role, content, max });
      return;
    }
    case 'compacted': {
      const { ordinal, keep, count, summary } = word;
      recorder.note('conversation_compacted', { event_id, ordinal, keep, count, summary });
      return;
    }
    case 'clock-read':
      recorder.note('clock_read', { event_id, ordinal: word.ordinal, at: word.at });
      return;
    case 'version-chosen':
      recorder.note('version_chosen', { event_id, name: word.name, version: word.version });
      return;
    case 'wait-began': {
      const { waitId, kind, name, occurrence, data, dueInMs, dueAt } = word;
      // A worker that asks twice after the same is answered once.
      const open = openOf(recorder.snapshot, eventId);
      if (open === undefined || open.waits.some((wait) => wait.waitId === waitId)) return;
      const due = dueInMs === null ? dueAt : clock.now() + dueInMs;
      const at =
        due === null ? null : timestampOf(Math.min(MAX_TIME_MS, Math.max(-MAX_TIME_MS, Math.ceil(due))));
      // A duration stays one, also on a clock that is set meanwhile.
      const common = { event_id, name, occurrence, ...(dueInMs === null ? {} : { in_ms: dueInMs }) };
      if (kind === 'promise') {
        recorder.note('promise_created', { ...common, promise_id: waitId, data, expires_at: at });
      } else recorder.note('timer_started', { ...common, timer_id: waitId, fires_at: at });
      onWait();
      return;
    }
    case 'message-sent': {
      const { kind, topic, occurrence, data, argsHash } = word;
      const number = recorder.snapshot.sent + 1;
      const numbering = recorder.snapshot.numbering || ids.next();
      const sent = { event_id, number, numbering, kind, topic, occurrence, data, args_hash: argsHash };
      // Its receivers remember its number for good, so its sender must too, whatever the journal promises otherwise [S29, S38].
      recorder.record('message_sent', sent, { synced: true }).catch(() => {}); // the recorder has told the process
      onSent();
      return;
    }
    case 'tools-listed': {
      const { problems } = word;
      const offers = recorder.scrubbed(word.offers);
      const hash = createHash('sha256').update(JSON.stringify(offers)).digest('hex');
      const isKnown = listOf(recorder.snapshot.tools, hash) !== null;
      recorder.note('tools_listed', { event_id, hash, problems, ...(isKnown ? {} : { offers }) });
      return;
    }
    case 'log':
      recorder.note('log', { event_id, level: word.level, text: word.text.slice(0, MAX_RESPONSE) });
      return;
  }
}
