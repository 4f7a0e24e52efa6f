// What the transports say in place of a server that can't or does not answer as it should. A server could say the same; then
// its own call ends the same way.

import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../model/errors.ts';

export const TOO_LARGE = -32_801;
export const ANSWER_LOST = -32_802;

/** It was certainly not sent. */
export class NotSent extends AppError {
  constructor(message: string) {
    super('mcp.not-sent', message);
    this.name = 'NotSent';
  }
}

export function tooLargeMessage(id: number | string, bytes: number): JSONRPCMessage {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: TOO_LARGE, message: 'the answer is too large', data: { bytes } },
  };
}

export function answerLostMessage(id: number | string): JSONRPCMessage {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: ANSWER_LOST, message: 'the connection ended before the answer' },
  };
}
