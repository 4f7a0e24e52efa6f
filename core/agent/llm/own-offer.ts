// The offer of a tool that no server has, but the agent's own runtime.

import { hash } from 'node:crypto';
import type { JSONSchema7 } from '@ai-sdk/provider';
import type { ToolOffer } from './tool.ts';

type Said = Pick<ToolOffer, 'name' | 'description' | 'source' | 'how' | 'class'>;

/** With an object of these properties and no others for its arguments. */
export function ownOffer(
  said: Said,
  properties: Readonly<Record<string, JSONSchema7>>,
  required: readonly string[],
): ToolOffer {
  const { name, description } = said;
  const inputSchema: JSONSchema7 = {
    type: 'object',
    properties: { ...properties },
    required: [...required],
    additionalProperties: false,
  };
  return {
    ...said,
    inputSchema,
    tool: name,
    keyArgument: null,
    timeoutMs: null,
    asks: false,
    fingerprint: hash('sha256', JSON.stringify([name, description, inputSchema])),
  };
}
