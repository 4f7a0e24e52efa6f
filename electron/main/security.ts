import type { Session, WebContents } from 'electron';
import { CONSOLE_ORIGIN, isConsoleUrl } from './console-url.ts';

/** Copying an id is the only thing that the console asks the browser for. */
const ALLOWED_PERMISSION = 'clipboard-sanitized-write';

/** Denies every permission, device and capture to every page of the session. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, callback) => {
    callback(permission === ALLOWED_PERMISSION && isConsoleUrl(contents.getURL()));
  });
  session.setPermissionCheckHandler(
    (_contents, permission, origin) =>
      permission === ALLOWED_PERMISSION && (origin === CONSOLE_ORIGIN || origin === `${CONSOLE_ORIGIN}/`),
  );
  session.setDevicePermissionHandler(() => false);
  // Without a handler a page's request to capture a screen fails.
  session.setDisplayMediaRequestHandler(null);
}

/** Keeps a page where it is: no new windows, no other address in any frame, no guest pages. */
export function hardenContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', (event) => {
    if (!isConsoleUrl(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    if (!isConsoleUrl(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    // The console has no frames, so whatever would load in one is not ours.
    if (!event.isMainFrame || !isConsoleUrl(event.url)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
  });
}
