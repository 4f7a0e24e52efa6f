import type { Bridge } from '../../core/contract/client.ts';
import type { ConsoleEnvironment } from '../stores/console.ts';
import { bridgeClient } from './bridge-client.ts';

/** What the console needs of the world, from the window that it runs in. */
export function browserEnvironment(bridge: Bridge, view: Window & typeof globalThis): ConsoleEnvironment {
  return {
    client: bridgeClient(bridge),
    pathOf: bridge.pathOf,
    clock: {
      now: () => Date.now(),
      monotonic: () => view.performance.now(),
      after(delayMs, callback) {
        const timer = view.setTimeout(callback, delayMs);
        return () => view.clearTimeout(timer);
      },
    },
    ids: { next: () => view.crypto.randomUUID() },
    bar: {
      read: () => view.location.hash,
      write(hash) {
        view.location.hash = hash;
      },
      onChange(listener) {
        view.addEventListener('hashchange', listener);
        return () => view.removeEventListener('hashchange', listener);
      },
    },
    visibility: {
      hidden: () => view.document.hidden,
      onChange(listener) {
        view.document.addEventListener('visibilitychange', listener);
        return () => view.document.removeEventListener('visibilitychange', listener);
      },
    },
  };
}
