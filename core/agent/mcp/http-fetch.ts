// How a server is reached over the web: no answer, and no event of a stream, larger than it may be; and a stream that ends
// before it brought the answer says so, so that nobody waits for it.

import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isObject, type Json } from '../../model/json.ts';
import { answerLostMessage, tooLargeMessage } from './transport-errors.ts';

/** Of the text of a refusal. */
const MAX_ERROR_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

export function boundedMcpFetch(maxBytes: number, from: FetchLike = fetch): FetchLike {
  return async (url, init) => {
    const response = await from(url, init);
    const { body } = response;
    if (body === null) return response;
    const asked = askedIn(init?.body);
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    if (!response.ok) return withBody(response, body.pipeThrough(cutAt(MAX_ERROR_BYTES)));
    if (isStream) return withBody(response, body.pipeThrough(wholeEvents(maxBytes, asked)));
    return withBody(response, body.pipeThrough(wholeBody(maxBytes, asked)));
  };
}

/** For a transport that tells of a refusal in words alone. */
export function refusingFetch(from: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await from(url, init);
    if (init?.method !== 'POST' || response.status < 400) return response;
    throw new StreamableHTTPError(response.status, await response.text());
  };
}

function withBody({ status, statusText, headers }: Response, body: ReadableStream<Uint8Array>): Response {
  const kept = new Headers(headers);
  // Of the body as it came.
  kept.delete('content-length');
  kept.delete('content-encoding');
  return new Response(body, { status, statusText, headers: kept });
}

/** The id of the request that is sent; null for what is none. */
function askedIn(body: unknown): number | string | null {
  if (typeof body !== 'string') return null;
  const message = JSON.parse(body) as Json;
  if (!isObject(message) || typeof message['method'] !== 'string') return null;
  const { id } = message;
  return typeof id === 'number' || typeof id === 'string' ? id : null;
}

type Bytes = TransformStream<Uint8Array, Uint8Array>;

function cutAt(maxBytes: number): Bytes {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const part = chunk.subarray(0, Math.max(0, maxBytes - bytes));
      bytes += chunk.byteLength;
      if (part.byteLength > 0) controller.enqueue(part);
      if (bytes >= maxBytes) controller.terminate();
    },
  });
}

/** One that is too large is replaced by a message that says so. */
function wholeBody(maxBytes: number, asked: number | string | null): Bytes {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) {
        parts.push(chunk);
        return;
      }
      parts = [];
      if (asked !== null) controller.enqueue(Buffer.from(JSON.stringify(tooLargeMessage(asked, bytes))));
      controller.terminate();
    },
    flush(controller) {
      for (const part of parts) controller.enqueue(part);
    },
  });
}

/** Passes on whole events. */
function wholeEvents(maxBytes: number, asked: number | string | null): Bytes {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isTooLarge = false;
  let isLineEmpty = true;
  let isAnswered = asked === null;
  /** It can be taken up again where it ended. */
  let canResume = false;
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      const given = Buffer.from(chunk);
      for (let at = given.indexOf(LINE_FEED); at >= 0; at = given.indexOf(LINE_FEED, from)) {
        const line = given.subarray(from, at + 1);
        const isBlank = isLineEmpty && (line.length === 1 || (line.length === 2 && line[0] === 0x0d));
        add(line);
        isLineEmpty = true;
        from = at + 1;
        if (isBlank) endEvent(controller);
      }
      if (from < given.length) {
        add(given.subarray(from));
        isLineEmpty = false;
      }
    },
    flush(controller) {
      if (!isAnswered && !canResume) tell(controller, answerLostMessage(asked!));
    },
  });

  function add(part: Buffer): void {
    bytes += part.length;
    if (bytes > maxBytes) {
      isTooLarge = true;
      parts = [];
    } else parts.push(part);
  }

  function endEvent(controller: TransformStreamDefaultController<Uint8Array>): void {
    if (isTooLarge) {
      if (!isAnswered && asked !== null) tell(controller, tooLargeMessage(asked, bytes));
    } else {
      const event = Buffer.concat(parts);
      look(event.toString('utf8'));
      controller.enqueue(event);
    }
    parts = [];
    bytes = 0;
    isTooLarge = false;
  }

  function look(event: string): void {
    if (/^id:/m.test(event)) canResume = true;
    if (isAnswered) return;
    const data = [...event.matchAll(/^data:(.*)$/gm)].map(([, line]) => line).join('\n');
    try {
      const message = JSON.parse(data) as Json;
      isAnswered =
        isObject(message) && message['id'] === asked && ('result' in message || 'error' in message);
    } catch {
      // No message; whoever reads the events says so.
    }
  }

  function tell(controller: TransformStreamDefaultController<Uint8Array>, message: JSONRPCMessage): void {
    isAnswered = true;
    controller.enqueue(Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
  }
}
