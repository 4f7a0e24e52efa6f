import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerAppRequest, resolveAppFile, SECURITY_HEADERS } from '../../electron/main/app-files.ts';
import { isConsoleUrl } from '../../electron/main/console-url.ts';

let outer = '';
let root = '';
beforeAll(async () => {
  outer = await mkdtemp(join(tmpdir(), 'holdfast-app-'));
  root = join(outer, 'renderer');
  await mkdir(root);
  await writeFile(join(root, 'index.html'), '<!doctype html>');
  await writeFile(join(root, 'a b.js'), '1');
  await writeFile(join(root, 'tool.exe'), '1');
  await writeFile(join(outer, 'secret.json'), '{}');
  await writeFile(join(outer, 'renderer.json'), '{}');
});
afterAll(() => rm(outer, { recursive: true, force: true }));

describe('the console’s files', () => {
  test.each([
    ['app://console/', 'text/html; charset=utf-8'],
    ['app://console', 'text/html; charset=utf-8'],
    ['app://console/index.html?x=1#y', 'text/html; charset=utf-8'],
    ['app://console/a%20b.js', 'text/javascript; charset=utf-8'],
  ])('%s is served', async (address, type) => {
    const response = await answerAppRequest(root, 'GET', address);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
  });

  test.each([
    ['app://console/../secret.json'],
    ['app://console/%2e%2e/secret.json'],
    ['app://console/%2e%2e%2fsecret.json'],
    ['app://console/..%2fsecret.json'],
    ['app://console/x/..%2f..%2fsecret.json'],
    ['app://console/..%5csecret.json'],
    ['app://console/%2e%2e%5csecret.json'],
    ['app://console//secret.json'],
    ['app://console/..%2frenderer.json'],
    ['app://console/%00index.html'],
    ['app://console/%zz'],
    ['app://console/.%2e/secret.json'],
    ['app://console/C:%5cWindows%5cwin.ini'],
    ['app://console/tool.exe'],
    ['app://console/missing.js'],
    ['app://console.example/index.html'],
    ['app://user@console/index.html'],
    ['app://other/index.html'],
    ['file:///etc/passwd'],
    ['not an address'],
  ])('%s is refused', async (address) => {
    const response = await answerAppRequest(root, 'GET', address);
    expect([400, 404]).toContain(response.status);
    expect(await response.text()).toBe('');
  });

  test.each([['POST'], ['PUT'], ['HEAD'], ['DELETE'], ['OPTIONS']])('%s is refused', (method) => {
    expect(resolveAppFile(root, method, 'app://console/')).toEqual({ status: 405 });
  });

  test('every answer carries the policy, refusals too', async () => {
    for (const [method, address] of [
      ['GET', 'app://console/'],
      ['GET', 'app://console/missing.js'],
      ['GET', 'app://console/..%2fsecret.json'],
      ['POST', 'app://console/'],
    ] as const) {
      const { headers } = await answerAppRequest(root, method, address);
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name)).toBe(value);
    }
  });
});

test.each([
  ['app://console/', true],
  ['app://console/index.html#x', true],
  ['app://console.example/', false],
  ['app://console:1/', false],
  ['app://evil@console/', false],
  ['https://console/', false],
  ['about:blank', false],
  ['javascript:alert(1)', false],
  ['', false],
])('%j is the console’s own address: %s', (address, ours) => {
  expect(isConsoleUrl(address)).toBe(ours);
});
