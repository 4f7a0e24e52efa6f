import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { background, GoneError, type Session } from '../chromium/cdp.ts';
import type { ToMain, ToRenderer } from '../page/renderer.ts';
import { isolatedWorldSource, mainWorldSource } from '../page/sources.ts';
import { decodeValue, encodeValue } from '../page/values.ts';
import type { FrameTree, WebFrameMain } from './frames.ts';

/** The isolated world of the preload, and the name in it by which the two sides reach each other. */
const WORLD = 'standin-preload';
const BINDING = '__standin';
const TOKEN = /^standin-file:[0-9a-f-]{36}$/;

export interface LinkOptions {
  readonly session: Session;
  readonly frames: FrameTree;
  readonly preloadPath: string | undefined;
  readonly subFrames: boolean;
  /** A message of a page with the frame it came from. What it gives answers an `invoke` or `ask`. */
  readonly receive: (message: ToMain, frame: WebFrameMain | null) => Promise<unknown>;
}

/** The path of a file that a page holds, or '' if it has none on disk. Chromium alone knows. */
async function pathOfFile(session: Session, contextId: number, token: string): Promise<string> {
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${BINDING}.file(${JSON.stringify(token)})`,
    contextId,
  });
  if (result.objectId === undefined) return '';
  try {
    const { path } = await session.send('DOM.getFileInfo', { objectId: result.objectId });
    return path;
  } catch (error) {
    // A file that a script made.
    if (error instanceof GoneError) throw error;
    return '';
  }
}

/** Replaces every token for a file by its path. */
async function withPaths(value: unknown, pathOf: (token: string) => Promise<string>): Promise<unknown> {
  if (typeof value === 'string') return TOKEN.test(value) ? pathOf(value) : value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => withPaths(item, pathOf)));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await withPaths(item, pathOf)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Main's end of what the preload of a page says and hears. */
export class PageLink {
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
    options.session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === BINDING) background(this.#receive(payload, executionContextId));
    });
  }

  /** To be awaited before the first page loads. */
  async install(): Promise<void> {
    const { session, preloadPath, subFrames } = this.#options;
    const handshake = `standin-${randomUUID()}`;
    const source = isolatedWorldSource(
      {
        handshake,
        binding: BINDING,
        subFrames,
        preloadPath,
        process: {
          platform: process.platform,
          arch: process.arch,
          versions: { ...process.versions } as Record<string, string>,
        },
      },
      preloadPath === undefined ? '' : readFileSync(preloadPath, 'utf8'),
    );
    await Promise.all([
      session.send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD }),
      // In this order they run: the page's own world must listen before the other greets it.
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldSource({ handshake }) }),
      session.send('Page.addScriptToEvaluateOnNewDocument', { worldName: WORLD, source }),
    ]);
  }

  static isIsolatedWorld(name: string): boolean {
    return name === WORLD;
  }

  /** A message for the main frame's preload; lost, as in Electron, if its page has not begun. */
  send(channel: string, args: readonly unknown[]): void {
    const contextId = this.#options.frames.mainContext();
    if (contextId !== undefined) this.#deliver(contextId, { kind: 'message', channel, args });
  }

  #deliver(contextId: number, message: ToRenderer): void {
    const text = JSON.stringify(JSON.stringify(encodeValue(message)));
    background(
      this.#options.session.send('Runtime.evaluate', {
        expression: `${BINDING}.deliver(${text})`,
        contextId,
      }),
    );
  }

  async #receive(payload: string, contextId: number): Promise<void> {
    const { session, frames, receive } = this.#options;
    const frame = frames.frameOf(contextId);
    const pathOf = (token: string): Promise<string> => pathOfFile(session, contextId, token);
    let message = decodeValue(JSON.parse(payload)) as ToMain;
    if (message.kind === 'ask' && message.what === 'path') {
      this.#deliver(contextId, { kind: 'answer', id: message.id, value: await pathOf(message.subject) });
      return;
    }
    if (payload.includes('standin-file:')) message = (await withPaths(message, pathOf)) as ToMain;
    if (message.kind !== 'invoke' && message.kind !== 'ask') {
      await receive(message, frame);
      return;
    }
    const { id } = message;
    try {
      this.#deliver(contextId, { kind: 'answer', id, value: await receive(message, frame) });
    } catch (error) {
      if (message.kind === 'invoke')
        console.error(`Error occurred in handler for '${message.channel}':`, error);
      this.#deliver(contextId, { kind: 'failure', id, message: String(error) });
    }
  }
}
