// What a hostile page could try, tried in the running application: the main process is the real one, the page is in a
// real Chromium, and what Electron itself would do in between is the stand-in's.

import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { REQUEST_NAMES } from '../../core/contract/names.ts';
import { WEB_PREFERENCES } from '../../electron/main/web-preferences.ts';
import { launchConsole, LIMIT_MS, needConsole, needStandIn, type RunningConsole } from '../e2e/app.ts';

interface Bridge {
  readonly requests: Readonly<
    Record<string, (request: unknown) => Promise<{ ok: boolean; error?: { code: string } }>>
  >;
  readonly events: Readonly<Record<string, (listener: unknown) => unknown>>;
  readonly pathOf: (file: unknown) => Promise<string>;
}
declare global {
  interface Window {
    holdfast: Bridge;
    injected?: boolean;
  }
}

describe('a hostile page', { timeout: LIMIT_MS }, () => {
  let running: RunningConsole | undefined;
  const page = () => running!.page;
  beforeEach(async (context) => {
    needConsole(context);
    running ??= await launchConsole({ env: { HOLDFAST_TRAY: 'no' } });
  });
  afterAll(() => running?.close());

  describe('in its world', () => {
    test('finds the bridge and nothing of Node or Electron', async () => {
      const found = await page().evaluate(() =>
        ['require', 'module', 'process', 'global', 'Buffer', 'electron', 'ipcRenderer', '__dirname'].filter(
          (name) => name in globalThis,
        ),
      );
      expect(found).toEqual([]);
    });

    test('finds named functions alone: no way to name a channel', async () => {
      const shape = await page().evaluate(() => ({
        top: Object.keys(window.holdfast),
        requests: Object.keys(window.holdfast.requests),
        events: Object.keys(window.holdfast.events),
      }));
      expect(shape.top.sort()).toEqual(['events', 'pathOf', 'requests']);
      expect(shape.requests.sort()).toEqual([...REQUEST_NAMES].sort());
      expect(shape.events.sort()).toEqual([
        'console.notice',
        'console.show',
        'fleet.changed',
        'process.changed',
      ]);
    });

    test('can’t change the bridge', async () => {
      const changed = await page().evaluate(() => {
        const before = window.holdfast;
        const attempts = [
          () => Reflect.set(window, 'holdfast', {}),
          () => Reflect.deleteProperty(window, 'holdfast'),
          () => Reflect.set(window.holdfast, 'requests', {}),
          () => Reflect.set(window.holdfast.requests, 'fleet.read', () => undefined),
          () => Reflect.defineProperty(window.holdfast.events, 'more', { value: 1 }),
        ];
        return [...attempts.map((attempt) => attempt()), window.holdfast !== before];
      });
      expect(changed).toEqual([false, false, false, false, false, false]);
    });

    test('gets a typed refusal for junk, on every request, and nothing is thrown', async () => {
      const junk = [
        undefined,
        null,
        7,
        'x',
        [],
        { journalId: {} },
        { __proto__: { ok: true } },
        { path: 'x'.repeat(1e5) },
      ];
      for (const name of REQUEST_NAMES.filter((each) => each !== 'journals.choose')) {
        const answers = await page().evaluate(
          async ({ name, junk }) => {
            const request = window.holdfast.requests[name]!;
            return Promise.all(
              junk.map((each) => request(each).catch((error: unknown) => `thrown: ${String(error)}`)),
            );
          },
          { name, junk },
        );
        for (const answer of answers) {
          expect(answer).toMatchObject({ ok: expect.any(Boolean) });
        }
        expect(answers[1]).toMatchObject({ ok: false, error: { code: 'request.invalid' } });
      }
    });

    test('learns no path from what is no file', async () => {
      expect(await page().evaluate(() => window.holdfast.pathOf({ path: '/etc/passwd' }))).toBe('');
    });
  });

  describe('reading files', () => {
    test.each([
      ['/..%2f..%2fpackage.json'],
      ['/%2e%2e%2f%2e%2e%2fpackage.json'],
      ['/..%5c..%5cpackage.json'],
      ['/assets/..%2f..%2f..%2fpackage.json'],
      ['/%00'],
    ])('%s is refused', async (path) => {
      const { status, text } = await page().evaluate(async (path) => {
        const response = await fetch(path);
        return { status: response.status, text: await response.text() };
      }, path);
      expect([400, 404]).toContain(status);
      expect(text).toBe('');
    });

    test('nothing is written: only GET is served', async () => {
      expect(await page().evaluate(async () => (await fetch('/', { method: 'POST' })).status)).toBe(405);
    });
  });

  describe('under its content policy', () => {
    /** Does something in a task of its own, where the driver's exemption from the policy has ended. */
    const violationOf = (attempt: string) =>
      page().evaluate(
        (attempt) =>
          new Promise<string>((resolve) => {
            const done = (event: SecurityPolicyViolationEvent): void => resolve(event.effectiveDirective);
            document.addEventListener('securitypolicyviolation', done, { once: true });
            const attempts: Record<string, () => void> = {
              'an inline script': () => {
                const script = document.createElement('script');
                script.append('window.injected = true');
                document.body.append(script);
              },
              'a script from elsewhere': () => {
                const script = document.createElement('script');
                script.setAttribute('src', 'https://example.com/x.js');
                document.body.append(script);
              },
              'an inline style': () => {
                const style = document.createElement('style');
                style.append('body { display: none }');
                document.body.append(style);
              },
              'a picture from elsewhere': () => {
                new Image().src = 'https://example.com/x.png';
              },
              'a connection': () => {
                fetch('https://example.com/').catch(() => undefined);
              },
              'a frame': () => {
                const frame = document.createElement('iframe');
                frame.src = 'data:text/html,x';
                document.body.append(frame);
              },
              'another base': () => {
                const base = document.createElement('base');
                base.href = 'https://example.com/';
                document.head.append(base);
              },
              'text as code': () => {
                // Reached through a variable: what is tested is the page, not this file.
                const run = globalThis[['ev', 'al'].join('') as 'eval'];
                try {
                  run('window.injected = true');
                } catch {
                  return;
                }
              },
              'text as markup': () => {
                try {
                  Reflect.set(
                    document.createElement('div'),
                    ['inner', 'HTML'].join(''),
                    '<img src=x onerror="window.injected = true">',
                  );
                } catch {
                  return;
                }
              },
            };
            setTimeout(() => attempts[attempt]?.());
          }),
        attempt,
      );

    test.each([
      ['an inline script', /^(script-src-elem|require-trusted-types-for)$/],
      ['a script from elsewhere', /^(script-src-elem|require-trusted-types-for)$/],
      ['an inline style', /^style-src-elem$/],
      ['a picture from elsewhere', /^img-src$/],
      ['a connection', /^connect-src$/],
      ['a frame', /^frame-src$/],
      ['another base', /^base-uri$/],
      ['text as code', /^(script-src|require-trusted-types-for)$/],
      ['text as markup', /^require-trusted-types-for$/],
    ])('%s is blocked by Chromium itself', async (attempt, directive) => {
      expect(await violationOf(attempt)).toMatch(directive);
      expect(await page().evaluate(() => window.injected)).toBeUndefined();
    });
  });

  describe('going elsewhere', () => {
    test('opens no window', async () => {
      expect(await page().evaluate(() => window.open('https://example.com/') === null)).toBe(true);
      expect(running!.app.windows()).toHaveLength(1);
    });

    test.each([['https://example.com/'], ['app://other/']])(
      'stays where it is instead of %s',
      async (address) => {
        const before = page().url();
        await running!.app.evaluate(({ BrowserWindow }) => {
          Reflect.deleteProperty(globalThis, 'wasPrevented');
          BrowserWindow.getAllWindows()[0]?.webContents.once('will-navigate', (event) => {
            Reflect.set(globalThis, 'wasPrevented', event.defaultPrevented);
          });
        });
        await page().evaluate((address) => {
          setTimeout(() => {
            location.href = address;
          });
        }, address);
        const wasPrevented = () =>
          running!.app.evaluate(() => Reflect.get(globalThis, 'wasPrevented') as unknown);
        await expect.poll(wasPrevented).toBe(true);
        expect(page().url()).toBe(before);
        expect(await page().evaluate(() => 'holdfast' in globalThis)).toBe(true);
      },
    );
  });

  describe('asking for permissions', () => {
    test.each(['geolocation', 'camera', 'microphone', 'notifications', 'clipboard-read'])(
      '%s is denied',
      async (name) => {
        const state = await page().evaluate(
          async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state,
          name,
        );
        expect(state).toBe('denied');
      },
    );

    test('a camera is not given', async () => {
      const answer = await page().evaluate(() =>
        navigator.mediaDevices.getUserMedia({ video: true }).then(
          () => 'given',
          (error: unknown) => (error instanceof Error ? error.name : String(error)),
        ),
      );
      expect(answer).toMatch(/NotAllowedError|NotFoundError/);
    });
  });

  test('every window was made under the preferences that the sources promise', async (context) => {
    needStandIn(context);
    const made = await running!.events('window');
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ options: { webPreferences: WEB_PREFERENCES } });
  });
});
