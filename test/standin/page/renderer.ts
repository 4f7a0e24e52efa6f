// The preload's `electron`. Runs in the isolated world as source text: only its arguments, the DOM, and what it defines.

export type ToMain =
  | { readonly kind: 'send'; readonly channel: string; readonly args: readonly unknown[] }
  | {
      readonly kind: 'invoke';
      readonly id: number;
      readonly channel: string;
      readonly args: readonly unknown[];
    }
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly what: 'permission' | 'path';
      readonly subject: string;
    }
  | {
      readonly kind: 'open';
      readonly details: { url: string; frameName: string; features: string; disposition: string };
    }
  | { readonly kind: 'preload-error'; readonly path: string; readonly error: unknown };

export type ToRenderer =
  | { readonly kind: 'message'; readonly channel: string; readonly args: readonly unknown[] }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

type Listener = (event: unknown, ...args: unknown[]) => void;

export function createRenderer(toMain: (message: ToMain) => void) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, { listener: Listener; once: boolean }[]>();
  const files = new Map<string, File>();
  let last = 0;

  const request = (make: (id: number) => ToMain): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      toMain(make(id));
    });
  const ask = (what: 'permission' | 'path', subject: string): Promise<unknown> =>
    request((id) => ({ kind: 'ask', id, what, subject }));

  const add = (channel: string, listener: Listener, once: boolean): void => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), { listener, once }]);
  };
  const remove = (channel: string, listener: Listener): void => {
    const list = listeners.get(channel) ?? [];
    const at = list.findLastIndex((entry) => entry.listener === listener);
    if (at >= 0) listeners.set(channel, list.toSpliced(at, 1));
  };

  const ipcRenderer = {
    invoke: (channel: string, ...args: unknown[]) =>
      request((id) => ({ kind: 'invoke', id, channel, args })).catch((error: Error) => {
        throw new Error(`Error invoking remote method '${channel}': ${error.message}`);
      }),
    send: (channel: string, ...args: unknown[]) => toMain({ kind: 'send', channel, args }),
    on(channel: string, listener: Listener) {
      add(channel, listener, false);
      return ipcRenderer;
    },
    once(channel: string, listener: Listener) {
      add(channel, listener, true);
      return ipcRenderer;
    },
    off(channel: string, listener: Listener) {
      remove(channel, listener);
      return ipcRenderer;
    },
    addListener: (channel: string, listener: Listener) => ipcRenderer.on(channel, listener),
    removeListener: (channel: string, listener: Listener) => ipcRenderer.off(channel, listener),
    removeAllListeners(channel?: string) {
      if (channel === undefined) listeners.clear();
      else listeners.delete(channel);
      return ipcRenderer;
    },
    listenerCount: (channel: string) => listeners.get(channel)?.length ?? 0,
  };

  // Only Chromium's own protocol knows a file's path, and not at once: this is a token for it, which becomes the path
  // on its way to the page (in a promise) and to main.
  const webUtils = {
    getPathForFile(file: File): string {
      if (!(file instanceof File)) throw new TypeError('getPathForFile expects a File');
      const token = `standin-file:${crypto.randomUUID()}`;
      files.set(token, file);
      return token;
    },
  };

  const resolvePaths = async (value: unknown): Promise<unknown> => {
    if (files.size === 0) return value;
    if (typeof value === 'string') return files.has(value) ? ask('path', value) : value;
    if (Array.isArray(value)) return Promise.all(value.map((item) => resolvePaths(item)));
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return value;
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await resolvePaths(item)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };

  const deliver = (message: unknown): void => {
    const told = message as ToRenderer;
    if (told.kind === 'message') {
      for (const { listener, once } of listeners.get(told.channel) ?? []) {
        if (once) remove(told.channel, listener);
        listener({ sender: ipcRenderer, ports: [] }, ...told.args);
      }
      return;
    }
    const asker = waiting.get(told.id);
    waiting.delete(told.id);
    if (told.kind === 'answer') asker?.resolve(told.value);
    else asker?.reject(new Error(told.message));
  };

  return {
    modules: { ipcRenderer, webUtils },
    ask,
    resolvePaths,
    deliver,
    file: (token: string) => files.get(token),
  };
}
