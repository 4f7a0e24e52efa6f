// What a call of a tool would change, as far as that can be told from its arguments: texts that it would replace, a file
// that it would write, a part of the state.

import type { TextDiff } from '../../model/approval.ts';
import { isObject, objectsAt, textAt, type Json, type JsonObject } from '../../model/json.ts';
import type { ToolOffer, Turn } from '../llm/tool.ts';
import { presentText } from './present-text.ts';
import { unifiedDiff } from './unified-diff.ts';

const MAX_DIFFS = 8;
const MAX_TEXT = 256 * 1024;
const MAX_TITLE = 500;

/** How tools call the two sides of a replacement, the content of a file, and its path. */
const OLD = ['oldText', 'old_text', 'oldString', 'old_string', 'old_str', 'search'];
const NEW = ['newText', 'new_text', 'newString', 'new_string', 'new_str', 'replace'];
const CONTENT = ['content', 'contents', 'file_text', 'text'];
const PATH = ['path', 'file_path', 'filePath', 'file', 'filename'];
const INSTRUCTIONS = ['instructions', 'new_instructions'];

interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** At most eight; none where nothing is known. */
export function changesOf(turn: Turn, offer: ToolOffer, args: Json): readonly TextDiff[] {
  if (!isObject(args)) return [];
  const path = first(args, PATH);
  const edits = [...objectsAt(args, 'edits'), args].flatMap(replacementIn);
  if (edits.length > 0) return edited(path, path === null ? null : presentAt(turn, offer, path), edits);
  const content = first(args, CONTENT);
  if (path !== null && content !== null) {
    return small(content) ? [unifiedDiff(titled(path), presentAt(turn, offer, path) ?? '', content)] : [];
  }
  if (offer.source.startsWith('mcp:')) return [];
  const instructions = first(args, INSTRUCTIONS);
  if (instructions !== null) return [unifiedDiff('instructions', turn.ctx.instructions, instructions)];
  return stateChange(turn, args);
}

function replacementIn(edit: JsonObject): readonly Replacement[] {
  const from = first(edit, OLD);
  const to = first(edit, NEW);
  return from === null || to === null || !small(from) || !small(to) ? [] : [{ from, to }];
}

/** In the file as it is, where that can be read and has them all; else each by itself. */
function edited(
  path: string | null,
  present: string | null,
  edits: readonly Replacement[],
): readonly TextDiff[] {
  const title = titled(path ?? 'text');
  let after = present;
  for (const { from, to } of edits) {
    const at = after === null || from === '' ? -1 : after.indexOf(from);
    after = at === -1 ? null : `${after!.slice(0, at)}${to}${after!.slice(at + from.length)}`;
    if (after === null) break;
  }
  if (present !== null && after !== null) return [unifiedDiff(title, present, after)];
  return edits.slice(0, MAX_DIFFS).map(({ from, to }, index) => {
    // What is cut out of a file has no end of its own: that no line feed stands there says nothing.
    const end = from.endsWith('\n') || to.endsWith('\n') ? '' : '\n';
    const which = edits.length === 1 ? title : `${title} (${index + 1} of ${edits.length})`;
    return unifiedDiff(which, ended(from, end), ended(to, end));
  });
}

function ended(text: string, end: string): string {
  return text === '' ? text : `${text}${end}`;
}

function presentAt({ plan, workspace }: Turn, { source }: ToolOffer, path: string): string | null {
  const name = source.slice('mcp:'.length);
  const isServer = source.startsWith('mcp:') && Object.hasOwn(plan.servers, name);
  return isServer ? presentText(workspace, plan.servers[name]!, path) : null;
}

function stateChange({ ctx }: Turn, args: JsonObject): readonly TextDiff[] {
  const key = textAt(args, 'key');
  if (key === '' || !Object.hasOwn(args, 'value')) return [];
  const before = ctx.state.get(key);
  return [
    unifiedDiff(titled(`state: ${key}`), before === undefined ? '' : pretty(before), pretty(args['value']!)),
  ];
}

function pretty(value: Json): string {
  return `${(JSON.stringify(value, null, 2) ?? 'null').slice(0, MAX_TEXT)}\n`;
}

function first(args: JsonObject, names: readonly string[]): string | null {
  const name = names.find((one) => typeof args[one] === 'string');
  return name === undefined ? null : (args[name] as string);
}

function small(text: string): boolean {
  return text.length <= MAX_TEXT;
}

function titled(text: string): string {
  return text.length <= MAX_TITLE ? text : `${text.slice(0, MAX_TITLE - 1)}…`;
}
