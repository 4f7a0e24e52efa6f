// Tools behind HTTP, in a program that nobody kills: it counts what it was asked to do.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../core/model/json.ts';

export interface AskedOfTool {
  readonly tool: string;
  readonly args: Json;
  readonly key: string;
}

export interface ToolServer {
  readonly url: string;
  /** What was done, in order. */
  readonly done: readonly AskedOfTool[];
  /** The keys of calls that somebody asked about who did not know what came of them. */
  readonly askedAbout: readonly string[];
  close(): Promise<void>;
}

export interface ServedTool {
  /** What the model gets to read; it may throw, which the tool says as its own error. */
  readonly act: (args: Json, asked: AskedOfTool) => string | Promise<string>;
}

/** Somebody who is told before something is done and after it, and is waited for. */
export type Beside = (phase: 'before' | 'after', asked: AskedOfTool) => Promise<void>;

export async function startToolServer(
  tools: Readonly<Record<string, ServedTool['act']>>,
  beside: Beside = async () => {},
): Promise<ToolServer> {
  const done: AskedOfTool[] = [];
  const askedAbout: string[] = [];
  /** What came of it, by its key. */
  const answers = new Map<string, Json>();
  const answer = async (request: IncomingMessage): Promise<Json> => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    const asked = JSON.parse(text) as AskedOfTool;
    if (request.url === '/happened') {
      askedAbout.push(asked.key);
      return answers.get(asked.key) ?? null;
    }
    await beside('before', asked);
    done.push(asked);
    const said = await act(asked);
    answers.set(asked.key, said);
    await beside('after', asked);
    return said;
  };
  const act = async (asked: AskedOfTool): Promise<Json> => {
    try {
      return { text: await tools[asked.tool]!(asked.args, asked), isError: false };
    } catch (error) {
      return { text: String(error), isError: true };
    }
  };
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    answer(request).then(
      (said) => response.end(JSON.stringify(said)),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    done,
    askedAbout,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
