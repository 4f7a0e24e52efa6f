// All tools of a server, page by page, as far as anybody could want to know them.

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import { AppError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';

const MAX_TOOLS = 500;
const MAX_PAGES = 100;

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * All of it may take `timeoutMs`.
 * @throws `mcp.endless-list` for one that goes in circles; and what asking throws
 */
export async function listAll(client: Client, timeoutMs: number): Promise<readonly Json[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const signal = AbortSignal.timeout(timeoutMs);
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const found = await client.request({ method: 'tools/list', params }, Page, {
      timeout: timeoutMs,
      signal,
    });
    tools.push(...found.tools.slice(0, MAX_TOOLS - tools.length));
    cursor = found.nextCursor ?? undefined;
    if (cursor === undefined) return tools as Json[];
    if (seen.has(cursor)) throw endless();
    seen.add(cursor);
  }
  // More than anybody offers: the rest is left where it is.
  if (tools.length >= MAX_TOOLS) return tools as Json[];
  throw endless();
}

function endless(): AppError {
  return new AppError('mcp.endless-list', 'its list of tools goes in circles');
}
