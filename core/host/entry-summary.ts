import type { Tone } from '../contract/views.ts';
import { isKnownType, type EntryType, type StoredEntry } from '../model/entry.ts';
import { showJson, textAt, type JsonObject } from '../model/json.ts';

const MAX_SUMMARY = 160;

export interface EntrySummary {
  readonly summary: string;
  readonly tone: Tone;
}

/** One line that says what an entry says. Types that this version does not know show the beginning of their data. */
export function entrySummary({ entry_type, data }: Pick<StoredEntry, 'entry_type' | 'data'>): EntrySummary {
  const { summary, tone } = isKnownType(entry_type) ? known(entry_type, data) : foreign(entry_type, data);
  return { summary: summary.length <= MAX_SUMMARY ? summary : `${summary.slice(0, MAX_SUMMARY - 1)}…`, tone };
}

function known(type: EntryType, data: JsonObject): EntrySummary {
  const text = (key: string): string => textAt(data, key);
  const show = (key: string): string => showJson(data[key] ?? null);
  switch (type) {
    case 'state_transition': {
      const tone: Tone =
        text('to_state') === 'failed' ? 'alarm' : text('to_state') === 'suspended' ? 'attention' : 'quiet';
      return { summary: join(`${text('from_state')} → ${text('to_state')}`, text('reason')), tone };
    }
    case 'context_update':
      return {
        summary: data['deleted'] === true ? `${text('key')} deleted` : `${text('key')} = ${show('value')}`,
        tone: 'quiet',
      };
    case 'checkpoint':
      return { summary: 'whole state written', tone: 'quiet' };
    case 'trigger_event':
      return { summary: join(`accepted from ${text('trigger_id')}`, show('payload')), tone: 'working' };
    case 'invocation_start':
      return { summary: `invocation ${show('invocation')} begins`, tone: 'working' };
    case 'invocation_result':
      return {
        summary: join(`invocation ${show('invocation')} done in ${show('duration_ms')} ms`, text('response')),
        tone: 'quiet',
      };
    case 'error':
      return { summary: join(text('error_type'), text('error')), tone: 'alarm' };
    case 'effect_started':
      return {
        summary: join(
          `${text('name')} announced (${text('class')}, attempt ${show('attempt')})`,
          text('args_preview'),
        ),
        tone: 'working',
      };
    case 'effect_finished':
      return effectFinished(data);
    case 'effect_resolved':
      return {
        summary: join(`decided by ${text('operator')}: ${text('resolution')}`, text('reason')),
        tone: 'attention',
      };
    case 'hold_placed':
      return {
        summary: join(`held: ${text('hold')}, by ${text('actor')}`, text('reason')),
        tone: 'attention',
      };
    case 'hold_lifted':
      return {
        summary: join(`no longer held: ${text('hold')}, by ${text('actor')}`, text('reason')),
        tone: 'quiet',
      };
    case 'operator_action':
      return {
        summary: join(`${text('operator')} asks: ${text('action')}`, text('reason')),
        tone: 'attention',
      };
    case 'operator_outcome':
      return { summary: text('message'), tone: data['ok'] === true ? 'quiet' : 'attention' };
    case 'worker_started':
      return { summary: `worker ${show('generation')} has pid ${show('pid')}`, tone: 'quiet' };
    case 'worker_exited':
      return { summary: text('reason'), tone: data['expected'] === true ? 'quiet' : 'alarm' };
    case 'recovered':
      return { summary: `rebuilt from the journal: ${text('lifecycle_state')}`, tone: 'attention' };
    case 'restart':
      return { summary: join(`restart ${show('attempt')}`, text('reason')), tone: 'attention' };
    case 'restart_exhausted':
      return { summary: join('no restarts left', text('reason')), tone: 'alarm' };
    case 'dead_letter':
      return { summary: join('given up', text('reason')), tone: 'alarm' };
    case 'journal_repaired':
      return { summary: `an incomplete end of ${show('bytes')} bytes was set aside`, tone: 'attention' };
    case 'writer_opened':
      return { summary: `written by host process ${show('pid')}, epoch ${show('epoch')}`, tone: 'quiet' };
    case 'configured':
      return { summary: `configuration ${text('hash').slice(0, 12)}`, tone: 'quiet' };
    case 'log':
      return { summary: text('text'), tone: text('level') === 'error' ? 'alarm' : 'quiet' };
  }
}

function effectFinished(data: JsonObject): EntrySummary {
  const name = textAt(data, 'effect_id').split('/').slice(1).join('/');
  switch (textAt(data, 'end')) {
    case 'done':
      return { summary: join(`${name} done`, showJson(data['result'] ?? null)), tone: 'quiet' };
    case 'did_not_happen':
      return { summary: join(`${name} did not happen`, textAt(data, 'error')), tone: 'attention' };
    default:
      return { summary: join(`${name} in doubt`, textAt(data, 'error')), tone: 'alarm' };
  }
}

const ALARMING = /error|failed|violation|denied|interrupted|exhausted/;

function foreign(type: string, data: JsonObject): EntrySummary {
  const pairs = Object.entries(data).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : showJson(value)}`,
  );
  return { summary: pairs.join(' · '), tone: ALARMING.test(type) ? 'attention' : 'quiet' };
}

function join(first: string, second: string): string {
  return second === '' ? first : `${first} · ${second}`;
}
