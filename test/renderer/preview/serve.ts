import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { build } from 'vite';

/** The policy that the console's pages are served under. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

const repository = join(import.meta.dirname, '../../..');

export interface Pages extends AsyncDisposable {
  readonly url: string;
  /** Source of the bridge over a host in memory, to be run before the page's own scripts. */
  readonly bridge: string;
}

/** Builds the renderer into `directory` and serves it as in production. */
export async function servePages(directory: string): Promise<Pages> {
  await build({
    root: join(repository, 'renderer'),
    configFile: join(repository, 'renderer/vite.config.ts'),
    logLevel: 'error',
    build: { outDir: directory, emptyOutDir: true },
  });
  const bundles = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, 'bridge.ts'), formats: ['iife'], name: 'bridge' },
    },
  });
  const [bundle] = Array.isArray(bundles) ? bundles : [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://pages');
    const name = pathname === '/' ? '/index.html' : pathname;
    readFile(join(directory, name)).then(
      (body) => {
        response.writeHead(200, {
          'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
          'content-security-policy': POLICY,
          // Called after what is in it: the browser keeps it, and what it compiled of it.
          ...(name.startsWith('/assets/') ? { 'cache-control': 'max-age=86400, immutable' } : {}),
        });
        response.end(body);
      },
      () => response.writeHead(name === '/favicon.ico' ? 204 : 404).end(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (bundle === undefined || address === null || typeof address === 'string') {
    throw new Error('The pages could not be built or served.');
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    bridge: bundle.output[0].code,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error === undefined ? resolve() : reject(error)));
      }),
  };
}
