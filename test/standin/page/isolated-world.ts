import { createBridge } from './bridge.ts';
import type { PageHost } from './main-world.ts';
import { createRenderer, type ToMain } from './renderer.ts';
import { decodeValue, encodeValue } from './values.ts';

export interface IsolatedWorldOptions {
  readonly handshake: string;
  /** The name of the function with which this world reaches main, and of the object by which main reaches it. */
  readonly binding: string;
  readonly subFrames: boolean;
  /** Of the preload script; undefined if there is none. */
  readonly preloadPath: string | undefined;
  readonly process: {
    readonly platform: string;
    readonly arch: string;
    readonly versions: Record<string, string>;
  };
}

type Preload = (
  require: (name: string) => unknown,
  module: { exports: unknown },
  exports: unknown,
  process: object,
) => void;

/** Runs in the world of the preload script, before it, in every new document. */
export function isolatedWorld(options: IsolatedWorldOptions, preload: Preload): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const post = world[options.binding] as (text: string) => void;
  const toMain = (message: ToMain): void => post(JSON.stringify(encodeValue(message)));

  const port = document.createElement('standin-port');
  document.dispatchEvent(new MouseEvent(options.handshake, { relatedTarget: port }));

  const renderer = createRenderer(toMain);
  const bridge = createBridge({
    port,
    outgoing: 'to-page',
    incoming: 'to-preload',
    finish: (value) => renderer.resolvePaths(value),
  });
  const host: PageHost = {
    open: (details) => toMain({ kind: 'open', details }),
    allow: (permission) => renderer.ask('permission', permission) as Promise<boolean>,
  };
  bridge.send('host', host);

  // Main calls these by name; the page's own world cannot see them.
  world[options.binding] = {
    deliver: (text: string) => renderer.deliver(decodeValue(JSON.parse(text))),
    file: renderer.file,
  };

  if (options.preloadPath === undefined || (window !== window.top && !options.subFrames)) return;
  const exposed = new Set<string>();
  const electron = {
    ...renderer.modules,
    contextBridge: {
      exposeInMainWorld(name: string, value: unknown): void {
        if (exposed.has(name))
          throw new Error(`Cannot bind an API on top of an existing property on the window object: ${name}`);
        exposed.add(name);
        bridge.send('expose', [name, value]);
      },
    },
  };
  const modules: Record<string, unknown> = {
    electron,
    'electron/renderer': electron,
    'electron/common': electron,
    url: { URL, URLSearchParams },
    timers: { setTimeout, clearTimeout, setInterval, clearInterval },
  };
  const require = (name: string): unknown => {
    const found = modules[name.replace(/^node:/, '')];
    if (found === undefined) throw new Error(`module not found: ${name}`);
    return found;
  };
  const process = {
    ...options.process,
    type: 'renderer',
    sandboxed: true,
    contextIsolated: true,
    isMainFrame: window === window.top,
    env: {},
  };
  const module = { exports: {} as unknown };
  try {
    preload(require, module, module.exports, process);
  } catch (error) {
    console.error(`Unable to load preload script: ${options.preloadPath}`, error);
    toMain({ kind: 'preload-error', path: options.preloadPath, error });
  }
}
