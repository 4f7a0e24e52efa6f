import { record } from '../record.ts';
import { app } from './app.ts';

type Handler = (request: Request) => Response | Promise<Response>;

const handlers = new Map<string, Handler>();
const privileged = new Set<string>();

export const protocol = {
  registerSchemesAsPrivileged(schemes: Electron.CustomScheme[]): void {
    if (app.isReady())
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const { scheme } of schemes) privileged.add(scheme);
    record('protocol.privileged', { schemes: structuredClone(schemes) });
  },
  handle(scheme: string, handler: Handler): void {
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
    handlers.set(scheme, handler);
  },
  unhandle(scheme: string): void {
    if (!handlers.delete(scheme)) throw new Error(`Failed to unhandle protocol: ${scheme}`);
  },
  isProtocolHandled: (scheme: string): boolean => handlers.has(scheme),
} satisfies Partial<Electron.Protocol>;

/** The schemes that are the app's own. */
export function schemes(): ReadonlySet<string> {
  return privileged.union(new Set(handlers.keys()));
}

export function handlerOf(url: string): Handler | undefined {
  return handlers.get(url.slice(0, url.indexOf(':')));
}
