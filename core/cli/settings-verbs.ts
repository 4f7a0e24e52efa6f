// The verbs for what a process has beside its manifest, for the triggers of all of them, and for what is measured.

import { InvalidArgumentError, Option } from 'commander';
import type { SettingsPlanView, SettingsView, TriggerSwitchView } from '../contract/settings-views.ts';
import { messageOf } from '../model/errors.ts';
import { define } from '../model/json.ts';
import { at, type Given, type HostVerb } from './host-verb.ts';

const settingsOf = ([, ...settings]: readonly string[], { undo }: Given): Given => {
  const order = { set: assignments(settings), undo: undo ?? [] };
  if (settings.length === 0 && undo === undefined)
    throw new InvalidArgumentError('Say what to set, as in budget.max_cost_per_day=20, or --undo <path>');
  return order;
};

export const SETTINGS_VERBS: readonly HostVerb[] = [
  {
    usage: at('set', ' [settings...]'),
    description:
      'change settings of a process while it lives: path=json each, null takes one away; the manifest stays as it is',
    asks: 'settings.change',
    options: [
      new Option('--undo <path>', "back to the manifest's; may be said again").argParser(
        (path: string, before: unknown): readonly string[] => [
          ...((before as readonly string[] | undefined) ?? []),
          path,
        ],
      ),
      new Option('--plan', 'only say what it would change'),
    ],
    more: settingsOf,
    plan: {
      asks: 'settings.plan',
      more: settingsOf,
      says: (answer) => planLines(answer as SettingsPlanView),
    },
  },
  {
    usage: 'hold-triggers <directory>',
    description: 'let no trigger of any process wake it until they are released; people still can',
    asks: 'workspace.hold-triggers',
    says: (answer) => switchLines(answer as TriggerSwitchView),
  },
  {
    usage: 'release-triggers <directory>',
    description: 'let the triggers of all processes wake them again, from now on',
    asks: 'workspace.release-triggers',
    says: (answer) => switchLines(answer as TriggerSwitchView),
  },
  {
    usage: 'metrics <directory>',
    description: 'what there is to measure, in the text format of Prometheus',
    asks: 'metrics.read',
    says: (answer) => (answer as { readonly text: string }).text.trimEnd().split('\n'),
  },
];

/** What is not as the manifest has it, a line for each. */
export function settingLines({ changed, changedCount }: SettingsView): readonly string[] {
  const lines = changed.map(
    ({ path, manifestText, valueText, actor, reason }) =>
      `set: ${path} ${valueText === null ? 'not set' : `= ${valueText}`} (manifest: ${manifestText ?? 'not set'}) by ${actor} · ${reason}`,
  );
  return changedCount > changed.length ? [...lines, `and ${changedCount - changed.length} more`] : lines;
}

function assignments(settings: readonly string[]): Readonly<Record<string, string>> {
  const set: Record<string, string> = {};
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals < 1)
      throw new InvalidArgumentError(`${setting} must be a path, "=" and JSON: budget.max_cost_per_day=20`);
    const path = setting.slice(0, equals);
    const value = setting.slice(equals + 1);
    try {
      JSON.parse(value);
    } catch (error) {
      throw new InvalidArgumentError(
        `${path}: ${value} is not JSON: ${messageOf(error)}. A text needs quotes: '${path}="this"'`,
      );
    }
    if (Object.hasOwn(set, path)) throw new InvalidArgumentError(`${path} is set twice; say it once`);
    define(set, path, value);
  }
  return set;
}

function planLines({ process, changes }: SettingsPlanView): readonly string[] {
  if (changes.length === 0) return [`${process} has it so already; nothing would change.`];
  return [
    `${process} would have:`,
    ...changes.map(
      ({ path, manifestText, fromText, toText }) =>
        `  ${path}: ${fromText ?? 'not set'} → ${toText ?? 'not set'} (manifest: ${manifestText ?? 'not set'})`,
    ),
  ];
}

function switchLines({ message, failed }: TriggerSwitchView): readonly string[] {
  return [message, ...failed.map((one) => `  ${one.process}: ${one.message}`)];
}
