import type { Tone } from '../contract/process-row.ts';
import { isKnownType, type EntryType, type StoredEntry } from '../model/entry.ts';
import {
  isObject,
  numberAt,
  textAt,
  type Json,
  type JsonObject,
  objectsAt,
  showJson,
} from '../model/json.ts';
import { cut, showCut } from './cut.ts';

const MAX_SUMMARY = 160;
/** Of one part: more than fits, so that the whole is marked as cut. */
const MAX_PART = MAX_SUMMARY + 1;
const MAX_CHANGES = 10;

export interface EntrySummary {
  readonly summary: string;
  readonly tone: Tone;
}

/** One line that says what an entry says. Types that this version does not know show the beginning of their data. */
export function entrySummary({ entry_type, data }: Pick<StoredEntry, 'entry_type' | 'data'>): EntrySummary {
  const { summary, tone } = isKnownType(entry_type) ? known(entry_type, data) : foreign(entry_type, data);
  return { summary: cut(summary, MAX_SUMMARY), tone };
}

function known(type: EntryType, data: JsonObject): EntrySummary {
  const text = (key: string): string => textAt(data, key).slice(0, MAX_PART);
  const show = (key: string): string => part(data[key] ?? null);
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
    case 'budget_period_started':
      return { summary: `a day of the budget begins, until ${text('until')}`, tone: 'quiet' };
    case 'budget_warning':
      return {
        summary: join(`${text('limit')} is near`, `${show('spent')} of ${show('max')} used`),
        tone: 'attention',
      };
    case 'budget_exceeded':
      return {
        summary: join(
          text('model') === ''
            ? `${text('cap') === '' ? '' : `cap of ${text('cap')}: `}${text('limit')} would be passed`
            : `${text('limit')} may be passed`,
          text('model') === ''
            ? `${show('spent')} of ${show('max')} used, ${show('reserved')} under way, ${show('asked')} more asked for`
            : `nobody knows what ${text('model')} costs`,
        ),
        tone: 'alarm',
      };
    case 'budget_extended':
      return {
        summary: join(
          `${text('limit')} extended by ${show('amount')}${text('until') === '' ? '' : ` until ${text('until')}`}, by ${text('actor')}`,
          text('reason'),
        ),
        tone: 'attention',
      };
    case 'escalation_raised':
      return Object.hasOwn(data, 'repeated')
        ? { summary: `${text('key')} came up again, ${show('repeated')} times`, tone: 'attention' }
        : { summary: join(`to be told outside: ${text('key')}`, text('summary')), tone: 'alarm' };
    case 'escalation_sent':
      return {
        summary: `${text('to')} was told of ${text('key')}, attempt ${show('attempt')}`,
        tone: 'quiet',
      };
    case 'escalation_failed':
      return {
        summary: join(
          `${text('to')} could not be told of ${text('key')}, attempt ${show('attempt')}${text('retry_at') === '' ? ', and is not told any more' : ''}`,
          text('reason'),
        ),
        tone: text('retry_at') === '' ? 'alarm' : 'attention',
      };
    case 'escalation_over':
      return { summary: join(`over: ${text('key')}`, text('reason')), tone: 'quiet' };
    case 'heartbeat_changed':
      return {
        summary: join(`the heartbeat to ${text('to')} is ${text('state')}`, text('reason')),
        tone: text('state') === 'failing' ? 'alarm' : 'quiet',
      };
    case 'mission_started':
      return { summary: join('a mission begins', text('objective')), tone: 'working' };
    case 'mission_judging':
      return {
        summary: `the judge${text('model') === '' ? '' : ` ${text('model')}`} is asked, after run ${show('run')} of the mission`,
        tone: 'quiet',
      };
    case 'mission_evaluated':
      return missionEvaluated(data);
    case 'mission_completed':
    case 'mission_failed': {
      const how = type === 'mission_completed' ? 'completed' : 'failed';
      return {
        summary: join(
          `the mission is ${how}${text('actor') === '' ? '' : `, by ${text('actor')}`}`,
          text('reason'),
        ),
        tone: how === 'failed' ? 'alarm' : 'attention',
      };
    }
    case 'mission_changed':
      return {
        summary: join(`the mission is ${text('to')}, by ${text('actor')}`, text('reason')),
        tone: 'attention',
      };
    case 'health_anomaly':
      return {
        summary: join(anomalyIn(data), text('description')),
        tone: text('action') === 'log' ? 'attention' : 'alarm',
      };
    case 'health_recovered':
      return { summary: `${anomalyIn(data)}: no longer`, tone: 'quiet' };
    case 'health_cleared': {
      const what = text('anomaly_type') === '' ? 'whatever was found' : anomalyIn(data);
      return { summary: join(`${what} seen by ${text('actor')}`, text('reason')), tone: 'attention' };
    }
    case 'settings_changed':
      return {
        summary: join(
          `${objectsAt(data, 'changes')
            .slice(0, MAX_CHANGES)
            .map((change) => `${textAt(change, 'path').slice(0, MAX_PART)} = ${part(change['to'] ?? null)}`)
            .join(', ')}, by ${text('actor')}`,
          text('reason'),
        ),
        tone: 'attention',
      };
    case 'cap_applied':
      return {
        summary:
          data['limits'] === null
            ? `no cap of ${text('cap')} any more`
            : join(`cap of ${text('cap')} until ${text('until')}`, show('limits')),
        tone: 'quiet',
      };
    case 'secret_resolved':
      return { summary: join('secrets resolved', namesIn(data['resolved'])), tone: 'quiet' };
    case 'secret_read':
      return 'refused' in data
        ? {
            summary: `secret ${text('name')} was asked for and refused: ${text('refused')}`,
            tone: 'attention',
          }
        : { summary: `secret ${text('name')} read`, tone: 'quiet' };
    case 'secret_rotated':
      return {
        summary: join(
          `secret ${text('name')} rotated${text('expires_at') === '' ? '' : `, until ${text('expires_at')}`}, by ${text('actor')}`,
          text('reason'),
        ),
        tone: 'attention',
      };
    case 'secret_revoked':
      return {
        summary: join(
          `${text('name') === '*' ? 'all secrets' : `secret ${text('name')}`} revoked by ${text('actor')}`,
          text('reason'),
        ),
        tone: text('actor') === 'host' ? 'quiet' : 'attention',
      };
    case 'event_refused':
      return { summary: join(`refused, from ${text('trigger_id')}`, text('why')), tone: 'attention' };
    case 'trigger_filtered':
      return { summary: join(`filtered, from ${text('trigger_id')}`, text('why')), tone: 'quiet' };
    case 'trigger_missed':
      return {
        summary: join(
          `${text('trigger_id')}: ${data['at_least'] === true ? 'at least ' : ''}${show('count')} missed`,
          text('why'),
        ),
        tone: 'attention',
      };
    case 'trigger_paused':
    case 'trigger_resumed': {
      const all = data['workspace'] === undefined ? 'all triggers' : 'the triggers of all processes';
      const which = text('trigger_id') === '' ? all : text('trigger_id');
      const what = type === 'trigger_paused' ? 'paused' : 'on again';
      return { summary: join(`${which} ${what}, by ${text('actor')}`, text('reason')), tone: 'attention' };
    }
    case 'trigger_added':
    case 'trigger_removed': {
      const what = type === 'trigger_added' ? 'added' : 'taken away';
      return {
        summary: join(`${text('trigger_id')} ${what}, by ${text('actor')}`, text('reason')),
        tone: 'attention',
      };
    }
    case 'server_connected':
    case 'server_disconnected': {
      const what = type === 'server_connected' ? 'connected' : 'disconnected';
      return {
        summary: join(`the server ${text('name')} ${what}, by ${text('actor')}`, text('reason')),
        tone: 'attention',
      };
    }
    case 'process_spawned':
    case 'process_discarded': {
      const what = type === 'process_spawned' ? 'begun' : 'discarded';
      return {
        summary: join(`the process ${text('child')} ${what}, by ${text('actor')}`, text('reason')),
        tone: 'attention',
      };
    }
    case 'spawned':
      return { summary: `begun by ${text('parent')}, ${show('depth')} deep`, tone: 'attention' };
    case 'discarded':
      return { summary: join(`discarded, by ${text('actor')}`, text('reason')), tone: 'attention' };
    case 'rewind':
      return {
        summary: join(`taken back to entry ${show('target_seq')}, by ${text('actor')}`, text('reason')),
        tone: 'attention',
      };
    case 'forked':
      return {
        summary: join(
          `forked from entry ${show('seq')} of ${text('process')}, by ${text('actor')}`,
          text('reason'),
        ),
        tone: 'attention',
      };
    case 'effect_unlike':
      return {
        summary: join(`${effectIn(data)} is asked for with other arguments`, text('args_preview')),
        tone: 'alarm',
      };
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
          `${text('name')} announced (${text('class')}, attempt ${show('attempt')}${againOf(data)})`,
          text('args_preview'),
        ),
        tone: 'working',
      };
    case 'effect_finished':
      return effectFinished(data);
    case 'effect_resolved':
      return {
        summary: join(
          `${effectIn(data)} decided by ${text('operator')}: ${text('resolution').replaceAll('_', ' ')}`,
          text('reason'),
        ),
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
    case 'invocation_waiting':
      return { summary: 'the invocation waits', tone: 'quiet' };
    case 'promise_created':
      return {
        summary: join(`promise ${text('name')} to be settled by its id`, show('data')),
        tone: 'attention',
      };
    case 'promise_settled':
      return {
        summary: join(`promise ${text('status')} by ${text('by')}`, text('reason')),
        tone: text('status') === 'resolved' ? 'quiet' : 'attention',
      };
    case 'timer_started':
      return { summary: `timer until ${text('fires_at')}`, tone: 'quiet' };
    case 'timer_fired':
      return { summary: `timer fired, ${show('late_ms')} ms late`, tone: 'quiet' };
    case 'signal_received':
      return { summary: join(`signal ${text('name')} by ${text('by')}`, show('payload')), tone: 'attention' };
    case 'clock_read':
      return { summary: `clock read: ${show('at')}`, tone: 'quiet' };
    case 'clock_changed':
      return { summary: `the clock was set by ${show('by_ms')} ms`, tone: 'attention' };
    case 'version_chosen':
      return { summary: `version ${show('version')} of ${text('name')}`, tone: 'quiet' };
    case 'conversation_appended':
      return { summary: `${text('role')}: ${text('content')}`, tone: 'quiet' };
    case 'conversation_compacted':
      return { summary: join(`${show('count')} messages in words`, text('summary')), tone: 'quiet' };
    case 'inbox_message':
      return {
        summary: join(`${text('message_type')} from ${text('sender')}`, text('content')),
        tone: 'attention',
      };
    case 'inbox_answered':
      return { summary: `answered: ${text('answer')}`, tone: 'quiet' };
    case 'message_sent':
      return { summary: join(`${text('kind')} ${text('topic')} sent`, show('data')), tone: 'quiet' };
    case 'message_delivered': {
      const refused = objectsAt(data, 'refused').length;
      return {
        summary: join(
          `message ${show('number')} delivered to ${show('to')}`,
          refused > 0 ? `${refused} refused it` : '',
        ),
        tone: refused > 0 ? 'attention' : 'quiet',
      };
    }
    case 'dead_letter_redelivered':
      return { summary: join(`redelivered by ${text('operator')}`, text('reason')), tone: 'attention' };
    case 'dead_letter_dropped':
      return { summary: join(`dropped by ${text('operator')}`, text('reason')), tone: 'attention' };
    case 'effect_expired':
      return { summary: `the key of ${effectIn(data)} is too old to repeat it`, tone: 'alarm' };
    case 'restart':
      return { summary: join(`restart ${show('attempt')}`, text('reason')), tone: 'attention' };
    case 'restart_exhausted':
      return { summary: join('no restarts left', text('reason')), tone: 'alarm' };
    case 'dead_letter':
      return { summary: join('given up', text('reason')), tone: 'alarm' };
    case 'journal_repaired':
      return journalRepaired(data);
    case 'effect_value_lost':
      return { summary: `what ${effectIn(data)} gave is lost`, tone: 'alarm' };
    case 'journal_full':
      return { summary: `the disk was full: ${show('refused_entries')} entries were refused`, tone: 'alarm' };
    case 'journal_adopted':
      return { summary: `adopted from ${text('format')}: ${show('lines')} lines`, tone: 'attention' };
    case 'foreign_lines':
      return {
        summary: `entries ${show('from')} to ${show('to')} were written by somebody else`,
        tone: 'alarm',
      };
    case 'segments_dropped':
      return {
        summary: `entries ${show('first_seq')} to ${show('last_seq')} are kept no longer`,
        tone: 'quiet',
      };
    case 'writer_opened':
      return { summary: `written by host process ${show('pid')}, epoch ${show('epoch')}`, tone: 'quiet' };
    case 'agent_planned':
      return { summary: 'models, tools and memory from now on', tone: 'quiet' };
    case 'tools_listed':
      return toolsListed(data);
    case 'configured':
      return { summary: `configuration ${text('hash').slice(0, 12)}`, tone: 'quiet' };
    case 'log':
      return { summary: text('text'), tone: text('level') === 'error' ? 'alarm' : 'quiet' };
  }
}

function toolsListed(data: JsonObject): EntrySummary {
  const problems = Array.isArray(data['problems']) ? data['problems'].length : 0;
  const offers = Array.isArray(data['offers']) ? `${data['offers'].length} tools` : 'the tools as before';
  return problems === 0
    ? { summary: `offered ${offers}`, tone: 'quiet' }
    : { summary: `offered ${offers}, with ${problems} problems`, tone: 'attention' };
}

function journalRepaired(data: JsonObject): EntrySummary {
  const bytes = showJson(data['bytes'] ?? null);
  switch (textAt(data, 'kind')) {
    case 'repair': {
      const gaps = objectsAt(data, 'gaps').length;
      return {
        summary: `repaired into this copy, with ${gaps === 1 ? 'one gap' : `${gaps} gaps`}`,
        tone: 'alarm',
      };
    }
    case 'unfinished_batch':
      return { summary: `an unfinished batch of ${bytes} bytes was set aside`, tone: 'attention' };
    default:
      return { summary: `an incomplete end of ${bytes} bytes was set aside`, tone: 'attention' };
  }
}

function missionEvaluated(data: JsonObject): EntrySummary {
  const unknown = textAt(data, 'unknown').slice(0, MAX_PART);
  if (unknown !== '') return { summary: join('no verdict on the mission', unknown), tone: 'attention' };
  const sure = `confidence ${part(data['confidence'] ?? null)}`;
  const reasoning = textAt(data, 'reasoning').slice(0, MAX_PART);
  switch (textAt(data, 'outcome')) {
    case 'achieved':
      return { summary: join(`mission achieved, ${sure}`, reasoning), tone: 'working' };
    case 'unsure':
      return { summary: join(`mission achieved? Only ${sure}`, reasoning), tone: 'attention' };
    default:
      return { summary: join(`mission not achieved, ${sure}`, reasoning), tone: 'quiet' };
  }
}

/** Its name and occurrence: the id without the event's. */
function effectIn(data: JsonObject): string {
  const id = textAt(data, 'effect_id');
  const at = id.indexOf('/') + 1;
  return id.slice(at, at + MAX_PART);
}

/** In words: "high error rate". */
function anomalyIn(data: JsonObject): string {
  return textAt(data, 'anomaly_type').slice(0, MAX_PART).replaceAll('_', ' ');
}

/** Of a call of a model that is made again, what it was booked at before stays reserved [S33]. */
function againOf(data: JsonObject): string {
  return typeof data['model'] === 'string' && numberAt(data, 'attempt', 1) > 1
    ? ', the one before it maybe paid'
    : '';
}

function effectFinished(data: JsonObject): EntrySummary {
  const name = effectIn(data);
  const error = textAt(data, 'error').slice(0, MAX_PART);
  switch (textAt(data, 'end')) {
    case 'done':
      return { summary: join(`${name} done`, part(data['result'] ?? null)), tone: 'quiet' };
    case 'did_not_happen':
      return { summary: join(`${name} did not happen`, error), tone: 'attention' };
    default:
      // A call of a model that is made again: what it may have cost is all that is in doubt.
      return data['used'] === undefined && error.startsWith('model.')
        ? { summary: join(`${name} maybe paid`, error), tone: 'attention' }
        : { summary: join(`${name} in doubt`, error), tone: 'alarm' };
  }
}

const ALARMING = /error|failed|violation|denied|interrupted|exhausted/;

function foreign(type: string, data: JsonObject): EntrySummary {
  let summary = '';
  for (const [key, value] of Object.entries(data)) {
    if (summary.length > MAX_SUMMARY) break;
    const text = typeof value === 'string' ? value.slice(0, MAX_PART) : part(value);
    summary += `${summary === '' ? '' : ' · '}${key.slice(0, MAX_PART)}: ${text}`;
  }
  return { summary, tone: ALARMING.test(type.slice(0, MAX_PART)) ? 'attention' : 'quiet' };
}

function part(value: Json): string {
  return showCut(value, MAX_PART).text;
}

function join(first: string, second: string): string {
  return second === '' ? first : `${first} · ${second}`;
}

function namesIn(value: Json | undefined): string {
  return isObject(value) ? Object.keys(value).join(', ').slice(0, MAX_PART) : '';
}
