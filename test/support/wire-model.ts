// A provider of models on this machine that speaks the wire formats of OpenAI (Responses and Chat Completions) and Anthropic,
// streamed. What it answers is decided by what it is asked, and it counts what it was asked by its content.

import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  eventsOf,
  formOf,
  questionIn,
  type WireAnswer,
  type WireForm,
  type WireQuestion,
} from './wire-forms.ts';

/** What goes wrong. `cut`: after half of the answer. `silence`: nothing comes any more, after half of it. */
export type WireFault =
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly body?: string;
    }
  | { readonly fault: 'cut' }
  | { readonly fault: 'silence' };

export type Decide = (
  question: WireQuestion,
  asked: number,
) => WireAnswer | WireFault | Promise<WireAnswer | WireFault>;

export interface AskedModel {
  readonly question: WireQuestion;
  /** Of all that it was asked, but for where it was. */
  readonly content: string;
  /** Of the header or query that carries it. */
  readonly key: string;
  /** Whole, to whoever asked. */
  isAnswered: boolean;
}

export interface WireModel {
  /** As a manifest names it. */
  readonly name: (form: WireForm) => string;
  readonly asked: readonly AskedModel[];
  /** How often the same was asked, for each that was. */
  readonly counts: () => readonly number[];
  close(): Promise<void>;
}

export interface WireOptions {
  /** Between the events of a stream. */
  readonly pauseMs?: number;
  /** Told before an answer begins, in the middle of it, and behind its end; waited for. */
  readonly beside?: (phase: 'before' | 'middle' | 'after') => Promise<void>;
}

export async function startWireModel(
  decide: Decide,
  { pauseMs = 0, beside = async () => {} }: WireOptions = {},
): Promise<WireModel> {
  const asked: AskedModel[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    const form = formOf(request.url ?? '');
    if (form === null) {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    const question = questionIn(form, body);
    const content = hash('sha256', JSON.stringify([question.turns, question.mayCall]));
    const key = String(request.headers['x-api-key'] ?? request.headers.authorization ?? '');
    const heard: AskedModel = { question, content, key, isAnswered: false };
    const before = asked.filter((other) => other.content === content).length;
    asked.push(heard);
    await beside('before');
    const decided = await decide(question, before);
    if ('fault' in decided && decided.fault === 'status') {
      const { status, retryAfter, body: said } = decided;
      const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(said ?? JSON.stringify({ error: { message: `status ${status}`, type: 'error' } }));
      return;
    }
    const events = eventsOf(
      form,
      'fault' in decided ? { text: 'this is only the half of an answer' } : decided,
    );
    const sent = 'fault' in decided ? events.slice(0, Math.ceil(events.length / 2)) : events;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [at, { name, data }] of sent.entries()) {
      if (at === Math.floor(sent.length / 2)) await beside('middle');
      const line = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${name === null ? '' : `event: ${name}\n`}data: ${line}\n\n`);
      if (pauseMs > 0) await delay(pauseMs);
    }
    if (!('fault' in decided)) {
      heard.isAnswered = !response.destroyed;
      await new Promise<void>((resolve) => response.end(resolve));
      await beside('after');
    } else if (decided.fault === 'cut') response.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const names: Readonly<Record<WireForm, string>> = {
    chat: `openai-compatible:m@${url}`,
    responses: `openai:m@${url}`,
    messages: `anthropic:m@${url}`,
  };
  return {
    name: (form) => names[form],
    asked,
    counts: () => {
      const counts = new Map<string, number>();
      for (const { content } of asked) counts.set(content, (counts.get(content) ?? 0) + 1);
      return [...counts.values()];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The step of a turn that is asked for: how many answers there are since its user spoke last. */
export function stepOf({ turns }: WireQuestion): number {
  const last = turns.findLastIndex(({ role }) => role === 'user');
  return turns.slice(last + 1).filter(({ role }) => role === 'assistant').length;
}

/** Answers one after the other, by the step that is asked for; the last one ends it. */
export function steps(...answers: readonly (WireAnswer | WireFault)[]): Decide {
  return (question) => answers[Math.min(stepOf(question), answers.length - 1)]!;
}

export function call(id: string, name: string, args: unknown = {}): NonNullable<WireAnswer['calls']>[number] {
  return { id, name, args: typeof args === 'string' ? args : JSON.stringify(args) };
}
