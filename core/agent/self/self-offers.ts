// The tools of open mode, as a model reads them.

import type { JSONSchema7 } from '@ai-sdk/provider';
import type { OpenPlan } from '../../model/agent-plan.ts';
import type { SelfAction } from '../../model/self-actions.ts';

export interface SelfTool {
  readonly name: SelfAction | 'create_tool';
  readonly description: string;
  readonly properties: Readonly<Record<string, JSONSchema7>>;
  readonly required: readonly string[];
  /** Whether it changes anything; what only reads is repeated as one likes. */
  readonly changes: boolean;
  readonly may: (open: OpenPlan) => boolean;
}

const text = (description: string): JSONSchema7 => ({ type: 'string', description });
const REASON = { reason: text('Why, for the people who look after you: it is put on record.') };
const TRIGGER: JSONSchema7 = {
  type: 'object',
  description:
    'As a manifest writes it: {"type":"cron","cron_expression":"*/5 * * * *"}, {"type":"event","event_type":"…"}, {"type":"message","topic":"…"}, {"type":"file_watch","watch_path":"inbox"} or {"type":"webhook","webhook_path":"/…","webhook_port":9090}. Never more often than once a minute, only folders of the workspace, only ports to this machine, no secret.',
};
const always = (): boolean => true;

export const SELF_TOOLS: readonly SelfTool[] = [
  {
    name: 'modify_instructions',
    description:
      'Replaces your instructions as a whole, from the next event on. An operator sees it and can undo it.',
    properties: { instructions: text('All of the new instructions.'), ...REASON },
    required: ['instructions'],
    changes: true,
    may: ({ mayChangeInstructions }) => mayChangeInstructions,
  },
  {
    name: 'create_tool',
    description: 'Would create a tool of your own; it is refused at present, and says why.',
    properties: { name: text('What it would be called.'), description: text('What it would do.') },
    required: ['name'],
    changes: false,
    may: always,
  },
  {
    name: 'add_trigger',
    description: 'Adds something that wakes you.',
    properties: { trigger: TRIGGER, ...REASON },
    required: ['trigger'],
    changes: true,
    may: ({ mayManageTriggers }) => mayManageTriggers,
  },
  {
    name: 'remove_trigger',
    description: 'Removes a trigger that you added yourself.',
    properties: { trigger_id: text('The id that add_trigger told.'), ...REASON },
    required: ['trigger_id'],
    changes: true,
    may: ({ mayManageTriggers }) => mayManageTriggers,
  },
  {
    name: 'connect_mcp_server',
    description:
      'Connects a server of tools that speaks MCP over HTTP; its tools are there from the next event on. No secret is sent to it.',
    properties: {
      name: text('A short name: a-z, 0-9, - and _.'),
      url: text('Its address, https:// or http://.'),
      transport: { type: 'string', enum: ['streamable-http', 'sse'] },
      ...REASON,
    },
    required: ['name', 'url'],
    changes: true,
    may: ({ mayConnectServers }) => mayConnectServers,
  },
  {
    name: 'disconnect_mcp_server',
    description: 'Disconnects a server that you connected yourself.',
    properties: { name: text('Its name.'), ...REASON },
    required: ['name'],
    changes: true,
    may: ({ mayConnectServers }) => mayConnectServers,
  },
  {
    name: 'spawn_process',
    description:
      'Begins another agent with your models and tools and instructions of its own. What it uses counts for your budget, it stops with you, and you are told when it fails.',
    properties: {
      name: text('A short name: a-z, 0-9, - and _. Yours is put before it.'),
      instructions: text('All of its instructions.'),
      task: text('What it is to do at once; left out, it waits for its triggers.'),
      triggers: { type: 'array', items: TRIGGER },
      secrets: {
        type: 'array',
        items: { type: 'string' },
        description: 'Names of your secrets that it gets too.',
      },
      ...REASON,
    },
    required: ['name', 'instructions'],
    changes: true,
    may: ({ maySpawn }) => maySpawn,
  },
  {
    name: 'undo_change',
    description: 'Takes back something that you changed about yourself: by its number, or all of it.',
    properties: {
      change: { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['all'] }] },
      ...REASON,
    },
    required: ['change'],
    changes: true,
    may: always,
  },
  {
    name: 'list_processes',
    description: 'How you and the processes that came from you are doing.',
    properties: {},
    required: [],
    changes: false,
    may: always,
  },
  {
    name: 'list_capabilities',
    description: 'What you may change about yourself, within which limits, and what you have changed.',
    properties: {},
    required: [],
    changes: false,
    may: always,
  },
  {
    name: 'get_secret',
    description:
      'Whether there is a secret of this name. Its value is never told; tools get it by themselves.',
    properties: { name: text('Its name.') },
    required: ['name'],
    changes: false,
    may: always,
  },
  {
    name: 'check_budget',
    description: 'What is left of your budget.',
    properties: {},
    required: [],
    changes: false,
    may: always,
  },
  {
    name: 'check_mission',
    description: 'How your mission stands.',
    properties: {},
    required: [],
    changes: false,
    may: always,
  },
];
