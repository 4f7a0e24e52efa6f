// What must not stand in any of our sources, read as text: cheap, and it does not depend on what a test happens to run.

import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY } from '../../electron/main/app-files.ts';
import { WEB_PREFERENCES } from '../../electron/main/web-preferences.ts';

const project = resolve(import.meta.dirname, '../..');
const sources: { readonly path: string; readonly text: string }[] = [];

beforeAll(async () => {
  for await (const path of glob('{core,electron,renderer}/**/*.{ts,tsx,cjs,html,css}', { cwd: project })) {
    sources.push({ path: path.replaceAll('\\', '/'), text: readFileSync(join(project, path), 'utf8') });
  }
});

const matching = (pattern: RegExp, below = ''): readonly string[] =>
  sources.filter(({ path, text }) => path.startsWith(below) && pattern.test(text)).map(({ path }) => path);

describe('the sources', () => {
  test('are found', () => {
    expect(matching(/contextBridge/)).toEqual(['electron/preload/preload.ts']);
  });

  test.each([
    ['the remote module', /@electron\/remote/],
    ['eval', /(?<![\w.])eval\s*\(/],
    ['functions made of text', /new Function\s*\(/],
    [
      'markup made of text',
      /dangerouslySetInnerHTML|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML|document\.write/,
    ],
    ['a policy that lets text become markup', /trustedTypes\s*\.\s*createPolicy/],
    ['a way around the sandbox', /['"]--no-sandbox['"]|no-sandbox'\)/],
    [
      'a weakened page',
      /nodeIntegration:\s*true|contextIsolation:\s*false|sandbox:\s*false|webSecurity:\s*false/,
    ],
    ['a scheme that bypasses the policy', /bypassCSP:\s*true/],
    ['Electron running as plain Node', /ELECTRON_RUN_AS_NODE/],
  ])('have no %s', (what, pattern) => {
    // The launcher may start Electron without the sandbox, as root, where Chromium has none.
    const launcher = what === 'a way around the sandbox' ? ['core/cli/start-plan.ts'] : [];
    expect(matching(pattern)).toEqual(launcher);
  });

  test('one module registers requests, one makes windows, one touches the page’s world', () => {
    expect(matching(/\bipcMain\b/)).toEqual(['electron/main/ipc-server.ts']);
    expect(matching(/new BrowserWindow\b/)).toEqual(['electron/main/window.ts']);
    expect(matching(/exposeInMainWorld\(/)).toEqual(['electron/preload/preload.ts']);
  });

  test('the preload hands out neither the channel nor the event', () => {
    const { text = '' } = sources.find(({ path }) => path === 'electron/preload/preload.ts') ?? {};
    const [, exposed = ''] = /const bridge = Object\.freeze\(\{([^}]*)\}/.exec(text) ?? [];
    expect(exposed).not.toContain('ipcRenderer');
    expect(text).not.toMatch(/listener\(\s*_?event/);
    expect(text.match(/ipcRenderer\.\w+/g)).toEqual([
      'ipcRenderer.invoke',
      'ipcRenderer.on',
      'ipcRenderer.off',
    ]);
  });

  test('nothing opens an address or a path outside of the application', () => {
    expect(matching(/shell\s*\.\s*(openExternal|openPath)/)).toEqual([]);
  });
});

test('every page runs under these preferences, and nobody can change them', () => {
  expect(WEB_PREFERENCES).toEqual({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    nodeIntegrationInWorker: false,
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    spellcheck: false,
  });
  expect(Object.isFrozen(WEB_PREFERENCES)).toBe(true);
});

test('the content policy allows what the console came with, and nothing else', () => {
  const policy = Object.fromEntries(
    CONTENT_SECURITY_POLICY.split('; ').map((line) => {
      const [name = '', ...values] = line.split(' ');
      return [name, values.join(' ')];
    }),
  );
  expect(policy).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
    'require-trusted-types-for': "'script'",
  });
  expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|\*|https?:/);
});
