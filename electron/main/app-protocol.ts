import { protocol } from 'electron';
import { answerAppRequest } from './app-files.ts';
import { SCHEME } from './console-url.ts';

/** Must run before the app is ready. The scheme gets an origin of its own, and no way around the content policy. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the console's files from `root` at app://console/. */
export function serveApp(root: string): void {
  protocol.handle(SCHEME, (request) => answerAppRequest(root, request.method, request.url));
}
