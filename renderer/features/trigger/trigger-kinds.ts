// What can be added beside a manifest, and what is asked for each: the manifest's keys, and its defaults. Pure.

import { MISSED_POLICIES, FILE_EVENTS, SIGNATURE_SCHEMES } from '../../../core/model/trigger-config.ts';

export const ADDED_KINDS = ['cron', 'webhook', 'file_watch', 'event', 'message'] as const;
export type AddedKind = (typeof ADDED_KINDS)[number];

export type Values = Readonly<Record<string, string>>;

/** How a field is entered, and what becomes of it: `list` is one item a line, `variable` the name of a variable. */
type Shape =
  | { readonly is: 'text' | 'number' | 'list' | 'variable' }
  | { readonly is: 'choice'; readonly choices: readonly (readonly [value: string, label: string])[] }
  | { readonly is: 'several'; readonly choices: readonly string[] };

export interface TriggerField {
  /** As a manifest has it; within `holdfast` after a point. */
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  /** What it begins with; several of a kind stand in lines. */
  readonly initial: string;
  readonly shape: Shape;
  readonly required: boolean;
  /** Where this says no, it is not asked. */
  readonly when?: (values: Values) => boolean;
}

const field = (
  key: string,
  label: string,
  hint: string,
  initial = '',
  over: Partial<TriggerField> = {},
): TriggerField => ({ key, label, hint, initial, shape: { is: 'text' }, required: false, ...over });

const needed = { required: true } as const;
const numeric = { required: true, shape: { is: 'number' } } as const;

const MISSED_WORDS: Readonly<Record<(typeof MISSED_POLICIES)[number], string>> = {
  skip: 'nothing: they are over',
  once: 'one event for all of them',
  all: 'one event for each',
};
const SCHEME_WORDS: Readonly<Record<(typeof SIGNATURE_SCHEMES)[number], string>> = {
  generic: 'the body, HMAC-SHA-256 in hex',
  github: 'as GitHub signs',
  stripe: 'as Stripe signs, with a time in it',
};

const FILTER = field(
  'filter_expression',
  'Filter',
  'Only calls that fit are accepted, like payload.amount > 100. Empty: all of them.',
);
const isSigned = (values: Values): boolean => (values['hmac_secret'] ?? '').trim() !== '';

const CRON: readonly TriggerField[] = [
  field(
    'cron_expression',
    'Schedule',
    'Minute, hour, day, month, weekday; a sixth field is seconds, and stands last.',
    '0 9 * * *',
    needed,
  ),
  field('cron_timezone', 'Time zone', 'Its name, like Europe/Berlin.', 'UTC', needed),
  field('holdfast.missed', 'Times that nobody was there for', 'What becomes of them.', 'skip', {
    shape: { is: 'choice', choices: MISSED_POLICIES.map((value) => [value, MISSED_WORDS[value]]) },
  }),
  FILTER,
];

const WEBHOOK: readonly TriggerField[] = [
  field('webhook_path', 'Path', 'Begins with a slash.', '/webhook', needed),
  field('webhook_port', 'Port', '1025 to 65535. Several webhooks may share one.', '9090', numeric),
  field(
    'webhook_host',
    'Address to listen on',
    '127.0.0.1 hears this machine alone; 0.0.0.0 hears everybody who can reach it.',
    '127.0.0.1',
    needed,
  ),
  field(
    'hmac_secret',
    'Variable that holds the secret',
    'The name of a variable of the host’s environment, never the secret: this goes into the journal. Empty: calls need no signature.',
    '',
    { shape: { is: 'variable' } },
  ),
  field('signature_scheme', 'What is signed', 'As the caller does it.', 'generic', {
    shape: { is: 'choice', choices: SIGNATURE_SCHEMES.map((value) => [value, SCHEME_WORDS[value]]) },
    when: isSigned,
  }),
  field('signature_header', 'Header of the signature', 'Empty: the usual one.', '', { when: isSigned }),
  field('signature_tolerance', 'Oldest signature, in seconds', 'Older ones are refused.', '300', {
    ...numeric,
    when: (values) => isSigned(values) && values['signature_scheme'] === 'stripe',
  }),
  field(
    'allowed_sources',
    'Who may call',
    'Addresses and ranges like 10.0.0.0/8, one a line. Empty: anybody.',
    '',
    {
      shape: { is: 'list' },
    },
  ),
  field(
    'holdfast.max_body_kilobytes',
    'Largest body, in kilobytes',
    'Larger ones are refused.',
    '1024',
    numeric,
  ),
  FILTER,
];

const FILE_WATCH: readonly TriggerField[] = [
  field('watch_path', 'Folder', 'Absolute, or from the workspace on.', '', needed),
  field('watch_patterns', 'Names', 'Patterns like *.csv, one a line.', '*', {
    required: true,
    shape: { is: 'list' },
  }),
  field('watch_events', 'Changes that count', '', 'created\nmodified', {
    required: true,
    shape: { is: 'several', choices: FILE_EVENTS },
  }),
  field(
    'watch_debounce_seconds',
    'Quiet time, in seconds',
    'A file is told of when it has been quiet for so long.',
    '0.5',
    numeric,
  ),
  field('holdfast.polling', 'How it watches', 'Network disks tell nothing of what changes in them.', '', {
    shape: {
      is: 'choice',
      choices: [
        ['', 'as the disk needs it'],
        ['true', 'again and again'],
        ['false', 'when the system says so'],
      ],
    },
  }),
  FILTER,
];

const EVENT: readonly TriggerField[] = [
  field('event_type', 'Event', 'As the other process emits it; may hold * and ?.', '', needed),
  field('event_source', 'Emitted by', 'The name of a process. Empty: any.'),
  FILTER,
];

const MESSAGE: readonly TriggerField[] = [
  field('topic', 'Topic', 'As the other process sends to it; may hold * and ?.', '', needed),
  FILTER,
];

const FIELDS: Readonly<Record<AddedKind, readonly TriggerField[]>> = {
  cron: CRON,
  webhook: WEBHOOK,
  file_watch: FILE_WATCH,
  event: EVENT,
  message: MESSAGE,
};

/** Those that are asked for, as things stand. */
export function fieldsOf(kind: AddedKind, values: Values): readonly TriggerField[] {
  return FIELDS[kind].filter(({ when }) => when?.(values) !== false);
}

/** What a kind begins with. */
export function initialOf(kind: AddedKind): Values {
  return Object.fromEntries(FIELDS[kind].map(({ key, initial }) => [key, initial]));
}
