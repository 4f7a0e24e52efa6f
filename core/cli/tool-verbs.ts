// The verbs for the tools of a model agent.

import { InvalidArgumentError, Option } from 'commander';
import type { ToolServerView, ToolsView, ToolView } from '../contract/tools-view.ts';
import { counted } from '../host/counted.ts';
import { EFFECT_CLASSES } from '../model/effects.ts';
import { pathOf } from '../model/settings.ts';
import { toolSetting } from '../model/tools.ts';
import { at, type Given, type HostVerb } from './host-verb.ts';
import { columns } from './safe-text.ts';

export const TOOL_VERBS: readonly HostVerb[] = [
  {
    usage: at('tools'),
    description: 'list the tools of a process and the servers that they come from',
    asks: 'tools.read',
    says: (answer) => toolLines(answer as ToolsView),
  },
  {
    usage: at('tool', ' <name>'),
    description: 'say how a tool is handled from the next invocation on; the manifest stays as it is',
    asks: 'settings.change',
    options: [
      new Option('--disable', 'offer it to the model no more'),
      new Option('--enable', 'offer it again'),
      new Option('--class <class>', 'what becomes of a call in doubt').choices([...EFFECT_CLASSES]),
      new Option('--as-manifest', 'forget what was said of its class beside the manifest'),
    ],
    more: ([, name = ''], given) => orderOf(name, given),
  },
];

function orderOf(name: string, { disable, enable, class: wanted, asManifest }: Given): Given {
  if (disable === true && enable === true)
    throw new InvalidArgumentError('Say one of these: --disable or --enable');
  if (wanted !== undefined && asManifest === true)
    throw new InvalidArgumentError('Say one of these: --class <class> or --as-manifest');
  const disabled = pathOf(toolSetting(name, 'disabled'));
  const ofClass = pathOf(toolSetting(name, 'class'));
  const set = {
    ...(disable === true ? { [disabled]: 'true' } : {}),
    ...(enable === true ? { [disabled]: 'false' } : {}),
    ...(wanted === undefined ? {} : { [ofClass]: JSON.stringify(wanted) }),
  };
  const undo = asManifest === true ? [ofClass] : [];
  if (Object.keys(set).length + undo.length === 0)
    throw new InvalidArgumentError('Say what: --disable, --enable, --class <class> or --as-manifest');
  return { set, undo };
}

const DECIDED: Readonly<Record<ToolView['decidedBy'], string>> = {
  operator: 'said by an operator',
  manifest: 'said by the manifest',
  annotation: 'said by its trusted server',
  changed: 'its server says something else than before',
  default: 'nobody said otherwise',
};

function toolLines({
  isModelAgent,
  listedAt,
  problems,
  servers,
  tools,
  toolCount,
}: ToolsView): readonly string[] {
  if (!isModelAgent) return ['Its code brings its own tools; none are listed here.'];
  const listed =
    listedAt === null
      ? 'No invocation has looked for tools yet.'
      : `As offered to the invocation of ${listedAt}:`;
  return [
    ...servers.map(serverLine),
    listed,
    ...columns(tools.map((tool) => toolCells(tool, listedAt !== null))),
    ...(toolCount > tools.length ? [`and ${toolCount - tools.length} more`] : []),
    ...problems.map((problem) => `! ${problem}`),
  ];
}

function serverLine({
  name,
  target,
  state,
  why,
  retryAt,
  at: since,
  isNow,
  isTrusted,
  toolCount,
}: ToolServerView): string {
  const now =
    since === null
      ? 'not seen yet'
      : `${state}${why === '' ? '' : `: ${why}`}${isNow ? '' : `, as last seen ${since}`}`;
  const retry = retryAt === null || !isNow ? '' : ` · not tried again before ${retryAt}`;
  const count = since === null ? '' : ` · ${counted(toolCount, 'tool')}`;
  return `${name} (${target})${isTrusted ? ', trusted' : ''} · ${now}${retry}${count}`;
}

function toolCells(tool: ToolView, isListed: boolean): readonly string[] {
  return [
    `  ${tool.name}`,
    tool.isEnabled ? (tool.class ?? 'of no class yet') : 'disabled',
    tool.source || (isListed ? 'not offered' : 'not looked for yet'),
    `${DECIDED[tool.decidedBy]}${tool.asks ? ' · each call is approved' : ''}`,
  ];
}
