// Manifests that changed while their workspace runs, and one that is edited.

import type { ManifestChangeView, ManifestPlanView } from '../../../core/contract/manifest-views.ts';
import type { JournalView } from '../../../core/contract/fleet-views.ts';
import { FLEET } from './scene.ts';
import { ok, type MemoryHost } from '../memory-client.ts';

const HASH = 'a'.repeat(64);

const TEXT = `# What the desk sees first thing in the morning
name: market-watcher
instructions: |
  Watch the markets, and say what moved.
entrypoint: ./market-watcher.ts
triggers:
  - type: cron
    cron_expression: '0 9 * * *'
    cron_timezone: Europe/Berlin
budget:
  max_cost_per_day: 40
config:
  concurrency: 2
`;

const changeOf = (over: Partial<ManifestChangeView>): ManifestChangeView => ({
  id: over.file ?? 'c',
  file: 'market-watcher.agent',
  process: 'market-watcher',
  kind: 'changed',
  lines: [],
  lineCount: 0,
  problems: [],
  notes: [],
  ...over,
});

const CHANGES: readonly ManifestChangeView[] = [
  changeOf({
    lines: [
      {
        path: 'instructions',
        fromText: '"Watch the markets, and say what moved."',
        toText: '"Watch the markets, say what moved, and why it did \\u202e<b>."',
        acts: 'next_invocation',
      },
      { path: 'budget.max_cost_per_day', fromText: '40', toText: '60', acts: 'at_once' },
      {
        path: 'triggers.0.hmac_secret',
        fromText: null,
        toText: '"${A_RATHER_LONG_NAME_OF_A_VARIABLE_WITHOUT_ANY_PLACE_TO_BREAK_IT}"',
        acts: 'at_once',
      },
    ],
    lineCount: 5,
    notes: [
      'Its code changed.',
      '1 invocation under way goes on in the new code, with what was recorded given back; one that asks for other effects than before stops and says so.',
      'market-watcher alone is restarted, from its journal; queue, timers and promises stay.',
    ],
  }),
  changeOf({
    file: 'late-riser.agent',
    process: 'late-riser',
    kind: 'added',
    notes: ['late-riser begins anew, and runs.'],
  }),
  changeOf({
    file: 'old-report.agent',
    process: 'old-report',
    kind: 'removed',
    notes: [
      'old-report is stopped, and its journal stays as it is: it is listed as orphaned until a manifest of that name takes it up again. It has 2 queued events.',
    ],
  }),
  changeOf({
    file: 'mail-triage.agent',
    process: 'mail-triage',
    kind: 'faulty',
    problems: [
      {
        path: 'budgt',
        line: 7,
        message:
          '"budgt" is not a setting; there are version, name, instructions, entrypoint, triggers, budget',
      },
      { path: 'config.concurrency', line: 12, message: 'Too small: expected number to be >=1' },
    ],
    notes: ['mail-triage goes on as it is until the file can be used again.'],
  }),
];

/** The journals of the fleet, with what is not in force. */
export const EDITED: JournalView[] = FLEET.journals.map((journal) =>
  journal.access === 'live' ? { ...journal, manifests: { stamp: 'edited', pending: 3, faulty: 1 } } : journal,
);

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'What the process is called, in its journal and everywhere.' },
    instructions: { type: 'string', description: 'What an invocation reads as its instructions.' },
    triggers: {
      type: 'array',
      description: 'What wakes it.',
      items: {
        anyOf: [
          {
            type: 'object',
            required: ['cron_expression'],
            properties: {
              type: { const: 'cron' },
              cron_expression: {
                type: 'string',
                maxLength: 500,
                description: 'Five fields: minute, hour, day, month, weekday.',
              },
              cron_timezone: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            },
          },
          { type: 'object', properties: { type: { const: 'manual' } } },
        ],
      },
    },
    config: {
      type: 'object',
      properties: {
        concurrency: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          default: 1,
          description: 'So many invocations run at once.',
        },
        restart_policy: { enum: ['always', 'on_failure', 'never'], default: 'never' },
      },
    },
  },
};

function planOf(text: string): ManifestPlanView {
  const problems = CHANGES[3]!.problems.map((problem, at) => ({ ...problem, line: [2, 4][at]! }));
  const isFaulty = text.includes('budgt');
  const isSame = text === TEXT;
  const lines = isSame || isFaulty ? [] : CHANGES[0]!.lines;
  return {
    process: isFaulty ? null : 'market-watcher',
    hash: HASH,
    problems: isFaulty ? problems : [],
    remarks: isFaulty
      ? []
      : [
          {
            path: 'servers.shop.args.1',
            line: 3,
            message:
              'what looks like a secret stands here itself, and is written into the journal with the plan',
          },
          {
            path: '',
            line: 1,
            message: 'there are no triggers: it handles nothing but what is handed to it by hand',
          },
        ],
    lines,
    lineCount: lines.length,
    change: isSame || isFaulty ? null : CHANGES[0]!,
  };
}

export function manifestAnswers(host: MemoryHost, isEdited: boolean): void {
  const changes = isEdited ? [...CHANGES] : [];
  host.answer('workspace.changes', () => ok({ changes, count: changes.length }));
  host.answer('manifests.read', ({ of }) =>
    ok({
      file: 'file' in of ? of.file : 'market-watcher.agent',
      process: 'market-watcher',
      text: TEXT,
      hash: HASH,
      isInForce: true,
    }),
  );
  host.answer('manifests.plan', ({ text, file }) =>
    ok(file === 'market-watcher.agent' ? planOf(text) : { ...planOf(text), hash: null, change: CHANGES[1]! }),
  );
  host.answer('manifests.schema', () =>
    ok({
      schemaText: JSON.stringify(SCHEMA),
      templates: [
        { name: 'basic', title: 'Basic', text: 'name: my-agent\nentrypoint: ./my-agent.ts\n' },
        { name: 'cron', title: 'By a schedule', text: TEXT.replace('market-watcher', 'my-agent') },
      ],
    }),
  );
}
