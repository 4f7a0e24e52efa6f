// The address of the console's page. A scheme of its own instead of file://, so that the page has an origin, headers,
// and no way to any other file.

export const SCHEME = 'app';
const HOST = 'console';
export const CONSOLE_ORIGIN = `${SCHEME}://${HOST}`;
export const CONSOLE_URL = `${CONSOLE_ORIGIN}/`;

/** Whether an address belongs to the console. Compared piece by piece: `app://console.example/` does not. */
export function isConsoleUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === `${SCHEME}:` && url.host === HOST && url.username === '';
}
