import { readFile } from 'node:fs/promises';
import { extname, join, relative, isAbsolute } from 'node:path';
import { isConsoleUrl } from './console-url.ts';

/**
 * What the page may do: run the scripts and styles it came with, and nothing else. No inline script, no eval, no
 * connection anywhere, no frame in or around it, and no string becomes markup.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** On every answer, whatever its status. */
export const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const;

/** What the console is made of. Any other kind of file is not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.map': 'application/json; charset=utf-8',
};

export type Resolved =
  | { readonly status: 200; readonly path: string; readonly contentType: string }
  | { readonly status: 400 | 404 | 405 };

/** Which file under `root` a request asks for. Never one outside of it, in whatever way the address is written. */
export function resolveAppFile(root: string, method: string, address: string): Resolved {
  if (method !== 'GET') return { status: 405 };
  const url = URL.parse(address);
  if (url === null || !isConsoleUrl(address)) return { status: 404 };
  let name: string;
  try {
    name = decodeURIComponent(url.pathname);
  } catch {
    return { status: 400 };
  }
  if (name.includes('\0') || name.includes('\\') || name.split('/').includes('..')) return { status: 400 };

  const path = join(root, name === '/' || name === '' ? 'index.html' : name);
  const within = relative(root, path);
  if (within === '' || within.startsWith('..') || isAbsolute(within)) return { status: 400 };
  const contentType = CONTENT_TYPES[extname(path).toLowerCase()];
  return contentType === undefined ? { status: 404 } : { status: 200, path, contentType };
}

/** Answers a request for one of the console's files. */
export async function answerAppRequest(root: string, method: string, address: string): Promise<Response> {
  const resolved = resolveAppFile(root, method, address);
  if (resolved.status !== 200) return refusal(resolved.status);
  const bytes = await readFile(resolved.path).catch(() => null);
  if (bytes === null) return refusal(404);
  return new Response(new Uint8Array(bytes), {
    headers: { ...SECURITY_HEADERS, 'content-type': resolved.contentType },
  });
}

function refusal(status: 400 | 404 | 405): Response {
  return new Response('', { status, headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain' } });
}
