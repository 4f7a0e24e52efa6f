// A provider of models on this machine: real HTTP, and whatever goes wrong with it.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort } from './webhooks.ts';

export interface HeardCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}
export type Behaviour = (response: ServerResponse, call: HeardCall) => void | Promise<void>;

export interface ModelServer {
  /** Of an OpenAI-compatible endpoint. */
  readonly url: string;
  readonly calls: readonly HeardCall[];
  /** Connections that were given up by whoever asked. */
  readonly gone: () => number;
}

/** Each call gets the next behaviour, and those after the last one the last one. */
export async function modelServer(...behaviours: readonly Behaviour[]): Promise<ModelServer> {
  const calls: HeardCall[] = [];
  let gone = 0;
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) gone += 1;
    });
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    const call: HeardCall = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(text) as Record<string, unknown>,
    };
    const behave = behaviours[Math.min(calls.length, behaviours.length - 1)]!;
    calls.push(call);
    await behave(response, call);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, calls, gone: () => gone };
}

/** Where nobody listens. */
export async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/v1`;
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

export function failure(status: number, error: object, headers?: Record<string, string>): Behaviour {
  return json(status, { error: { message: `status ${status}`, ...error } }, headers);
}

export const hang: Behaviour = () => undefined;

/** Half of an answer, and then nothing any more. */
export const cutAnswer: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"choices": [', () => response.destroy());
};

export const USAGE = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };

export function chat(text: string, more: Record<string, unknown> = {}): Behaviour {
  const { finish_reason = 'stop', usage = USAGE, ...message } = more;
  return json(200, {
    id: 'answer',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text, ...message }, finish_reason }],
    ...(usage === null ? {} : { usage }),
  });
}

export interface StreamSteps {
  /** Deltas of the answer's message, in order. */
  readonly deltas: readonly Record<string, unknown>[];
  readonly finish?: string | null;
  readonly usage?: Record<string, unknown> | null;
  /** Resolved before each delta but the first. */
  readonly before?: () => Promise<unknown>;
  /** The connection breaks, or stays silent, after the last delta. */
  readonly ending?: 'cut' | 'silence' | 'end';
  readonly raw?: readonly string[];
}

export function chatStream(steps: StreamSteps): Behaviour {
  const { deltas, finish = 'stop', usage = USAGE, before, ending = 'end', raw = [] } = steps;
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (value: unknown): Promise<void> =>
      new Promise((resolve) => {
        response.write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`, () =>
          resolve(),
        );
      });
    const chunk = (delta: unknown, finish_reason: string | null): unknown => ({
      id: 'answer',
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    });
    for (const [at, delta] of deltas.entries()) {
      if (at > 0) await before?.();
      await send(chunk(delta, null));
    }
    for (const line of raw) await send(line);
    if (ending === 'silence') return;
    if (ending === 'cut') {
      response.destroy();
      return;
    }
    if (finish !== null) await send(chunk({}, finish));
    if (usage !== null) await send({ id: 'answer', model: 'm', choices: [], usage });
    await send('[DONE]');
    response.end();
  };
}

/** Server-sent events as they are, and then the end. */
export function events(lines: readonly { readonly type: string }[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const line of lines) response.write(`event: ${line.type}\ndata: ${JSON.stringify(line)}\n\n`);
    response.end();
  };
}
