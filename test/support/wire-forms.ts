// The wire formats of providers of models, from their side: what a request asks, and an answer as it is streamed.

import type { Json } from '../../core/model/json.ts';

/** What was asked, in whichever format. */
export interface WireQuestion {
  readonly form: WireForm;
  readonly system: string;
  /** Oldest first. */
  readonly turns: readonly WireTurn[];
  readonly tools: readonly string[];
  readonly mayCall: boolean;
}

export type WireTurn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly WireCall[] }
  | { readonly role: 'tool'; readonly id: string; readonly text: string };

export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** As it is, also where it is no JSON. */
  readonly args: string;
}

export interface WireAnswer {
  readonly text?: string;
  readonly calls?: readonly WireCall[];
  readonly tokensIn?: number;
  readonly tokensOut?: number;
}

export type WireForm = 'chat' | 'responses' | 'messages';

type Body = Readonly<Record<string, unknown>>;

/** Null for a path that no provider has. */
export function formOf(path: string): WireForm | null {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  return path.endsWith('/messages') ? 'messages' : null;
}

export function questionIn(form: WireForm, body: Body): WireQuestion {
  const tools = listOf(body['tools']).map(
    (tool) => textOf(tool['name']) || textOf((tool['function'] as Body | undefined)?.['name']),
  );
  const choice = body['tool_choice'];
  const mayCall = choice !== 'none' && (choice as Body | undefined)?.['type'] !== 'none';
  const all =
    form === 'chat' ? chatTurns(body) : form === 'responses' ? responseTurns(body) : messageTurns(body);
  const system = all.flatMap((turn) => (turn.role === 'system' ? [turn.text] : [])).join('\n\n');
  return { form, system, tools, mayCall, turns: all.filter((turn) => turn.role !== 'system') };
}

type AnyTurn = WireTurn | { readonly role: 'system'; readonly text: string };

function chatTurns(body: Body): readonly AnyTurn[] {
  return listOf(body['messages']).map((message): AnyTurn => {
    const text = contentText(message['content']);
    switch (message['role']) {
      case 'system':
      case 'developer':
        return { role: 'system', text };
      case 'assistant': {
        const calls = listOf(message['tool_calls']).map((call) => {
          const asked = call['function'] as Body;
          return { id: textOf(call['id']), name: textOf(asked['name']), args: textOf(asked['arguments']) };
        });
        return { role: 'assistant', text, calls };
      }
      case 'tool':
        return { role: 'tool', id: textOf(message['tool_call_id']), text };
      default:
        return { role: 'user', text };
    }
  });
}

/** One answer may be several items here. */
function responseTurns(body: Body): readonly AnyTurn[] {
  const turns: AnyTurn[] = [];
  for (const item of listOf(body['input'])) {
    const text = contentText(item['content']);
    const last = turns.at(-1);
    if (item['type'] === 'function_call') {
      const call = {
        id: textOf(item['call_id']),
        name: textOf(item['name']),
        args: textOf(item['arguments']),
      };
      if (last?.role === 'assistant') turns.splice(-1, 1, { ...last, calls: [...last.calls, call] });
      else turns.push({ role: 'assistant', text: '', calls: [call] });
    } else if (item['type'] === 'function_call_output') {
      turns.push({ role: 'tool', id: textOf(item['call_id']), text: contentText(item['output']) });
    } else if (item['role'] === 'assistant') turns.push({ role: 'assistant', text, calls: [] });
    else turns.push({ role: item['role'] === 'user' ? 'user' : 'system', text });
  }
  return turns;
}

function messageTurns(body: Body): readonly AnyTurn[] {
  const turns: AnyTurn[] = [{ role: 'system', text: contentText(body['system']) }];
  for (const { role, content } of listOf(body['messages'])) {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    if (role === 'assistant') {
      const calls = parts.flatMap((part) =>
        part['type'] === 'tool_use'
          ? [{ id: textOf(part['id']), name: textOf(part['name']), args: JSON.stringify(part['input']) }]
          : [],
      );
      turns.push({ role, text: contentText(parts), calls });
      continue;
    }
    const words: Body[] = [];
    for (const part of parts) {
      if (part['type'] !== 'tool_result') words.push(part);
      else turns.push({ role: 'tool', id: textOf(part['tool_use_id']), text: contentText(part['content']) });
    }
    if (words.length > 0) turns.push({ role: 'user', text: contentText(words) });
  }
  return turns;
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(part['text']))
    .join('');
}

function listOf(value: unknown): readonly Body[] {
  return Array.isArray(value) ? (value as Body[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// --- answers, as events of a stream

/** `name`: null where the format has none. */
export interface WireEvent {
  readonly name: string | null;
  readonly data: Json;
}

export function eventsOf(form: WireForm, answer: WireAnswer): readonly WireEvent[] {
  switch (form) {
    case 'chat':
      return [...chatEvents(answer).map((data) => ({ name: null, data })), { name: null, data: '[DONE]' }];
    case 'responses':
      return named(responseEvents(answer));
    case 'messages':
      return named(messageEvents(answer));
  }
}

function named(
  events: readonly ({ readonly type: string } & Record<string, unknown>)[],
): readonly WireEvent[] {
  return events.map((data) => ({ name: data.type, data: data as unknown as Json }));
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

function chatEvents({ text = '', calls = [], tokensIn = 20, tokensOut = 5 }: WireAnswer): readonly Json[] {
  const chunk = (delta: Json, finish: string | null): Json => ({
    id: 'answer',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut };
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...words(text).map((content) => chunk({ content }, null)),
    ...calls.map(({ id, name, args }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] }, null),
    ),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { id: 'answer', model: 'm', choices: [], usage },
  ];
}

function responseEvents({ text = '', calls = [], tokensIn = 20, tokensOut = 5 }: WireAnswer) {
  const base = { id: 'resp', object: 'response', created_at: 1, model: 'm' };
  const events: ({ type: string } & Record<string, unknown>)[] = [
    { type: 'response.created', response: { ...base, status: 'in_progress' } },
  ];
  let index = 0;
  if (text !== '') {
    const item = { type: 'message', id: 'msg', role: 'assistant' };
    events.push({
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, status: 'in_progress', content: [] },
    });
    for (const delta of words(text)) {
      events.push({
        type: 'response.output_text.delta',
        item_id: 'msg',
        output_index: index,
        content_index: 0,
        delta,
      });
    }
    const content = [{ type: 'output_text', text, annotations: [] }];
    events.push({
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, status: 'completed', content },
    });
    index += 1;
  }
  for (const { id, name, args } of calls) {
    const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
    events.push(
      { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', item_id: item.id, output_index: index, delta: args },
      {
        type: 'response.output_item.done',
        output_index: index,
        item: { ...item, arguments: args, status: 'completed' },
      },
    );
    index += 1;
  }
  const usage = { input_tokens: tokensIn, output_tokens: tokensOut, total_tokens: tokensIn + tokensOut };
  events.push({ type: 'response.completed', response: { ...base, status: 'completed', output: [], usage } });
  return events;
}

function messageEvents({ text = '', calls = [], tokensIn = 20, tokensOut = 5 }: WireAnswer) {
  const message = {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
  };
  const events: ({ type: string } & Record<string, unknown>)[] = [
    { type: 'message_start', message: { ...message, usage: { input_tokens: tokensIn, output_tokens: 0 } } },
  ];
  let index = 0;
  const block = (begin: object, deltas: readonly object[]): void => {
    events.push({ type: 'content_block_start', index, content_block: begin });
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
    index += 1;
  };
  if (text !== '') {
    block(
      { type: 'text', text: '' },
      words(text).map((piece) => ({ type: 'text_delta', text: piece })),
    );
  }
  for (const { id, name, args } of calls) {
    block({ type: 'tool_use', id, name, input: {} }, [{ type: 'input_json_delta', partial_json: args }]);
  }
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: tokensOut },
    },
    { type: 'message_stop' },
  );
  return events;
}
