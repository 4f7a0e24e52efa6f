import { describe, expect, it } from 'vitest';
import { chromiumFlags } from './chromium/flags.ts';
import { cancelButton } from './main/dialog.ts';
import { defaultPath } from './main/paths.ts';
import { headerToChromium, originOf, toApp, toChromium } from './main/scheme-map.ts';
import { decodeValue, encodeValue } from './page/values.ts';
import { parseArguments } from './start/arguments.ts';

const SCHEMES = new Set(['app']);

describe('addresses of the app', () => {
  it.each([
    ['app://console/', 'http://console.app.localhost/'],
    ['app://console/a/b?q=1#part', 'http://console.app.localhost/a/b?q=1#part'],
  ])('travel through Chromium and back: %s', (ours, theirs) => {
    expect(toChromium(ours, SCHEMES)).toBe(theirs);
    expect(toApp(theirs, SCHEMES)).toBe(ours);
  });

  it.each(['https://example.test/', 'http://console.other.localhost/', 'about:blank'])(
    'are told from others: %s',
    (url) => {
      expect(toChromium(url, SCHEMES)).toBe(url);
      expect(toApp(url, SCHEMES)).toBe(url);
    },
  );

  it('have an origin with their scheme', () => {
    expect(originOf('app://console/x')).toBe('app://console');
    expect(originOf('about:blank')).toBe('null');
  });

  it('are translated where a header names them', () => {
    expect(headerToChromium('Location', 'app://console/x', SCHEMES)).toBe('http://console.app.localhost/x');
    expect(
      headerToChromium('Content-Security-Policy', "img-src app: 'self'; font-src app://cdn", SCHEMES),
    ).toBe("img-src http://*.app.localhost 'self'; font-src http://cdn.app.localhost");
    expect(headerToChromium('ETag', 'app://console/x', SCHEMES)).toBe('app://console/x');
  });
});

describe('values between main and a page', () => {
  it.each([
    [[1, [undefined, null], { a: { b: 'c' } }]],
    [new Map<unknown, unknown>([[{ k: 1 }, new Set([1n])]])],
    [new Float64Array([1.5, -2])],
    [['undefined']],
  ])('arrive as they were sent: %o', (value) => {
    expect(decodeValue(JSON.parse(JSON.stringify(encodeValue(value))))).toEqual(value);
  });

  it('are refused if structured clone refuses them', () => {
    for (const value of [() => 1, Symbol('s'), { deep: [Promise.resolve()] }]) {
      expect(() => encodeValue(value)).toThrow('could not be cloned');
    }
  });
});

describe('how the stand-in is started', () => {
  it('reads the command line as Playwright writes it', () => {
    const argv = [
      '-r',
      '/loader.js',
      '--no-sandbox',
      '--inspect=0',
      '--remote-debugging-port=0',
      '.',
      '--hidden',
      '-r',
    ];
    expect(parseArguments(argv)).toEqual({ preloads: ['/loader.js'], app: '.', debuggingPort: 0 });
  });

  it('opens no port for a person', () => {
    const { debuggingPort } = parseArguments(['/app', '/journal']);
    expect(debuggingPort).toBeUndefined();
    const flags = chromiumFlags({ profile: '/p', port: debuggingPort, headless: false, root: false });
    expect(flags.filter((flag) => /port|sandbox|headless/.test(flag))).toEqual([]);
    expect(flags).toContain('--remote-debugging-pipe');
  });

  it('switches the sandbox off for root alone', () => {
    expect(chromiumFlags({ profile: '/p', port: 0, headless: true, root: true })).toContain('--no-sandbox');
  });
});

describe('what Electron assumes', () => {
  it('puts user data where each platform keeps it', () => {
    const facts = { env: {}, home: '/home/me', temp: '/tmp', name: 'Holdfast', executable: '/e' };
    expect(defaultPath('userData', { ...facts, platform: 'linux' })).toBe('/home/me/.config/Holdfast');
    expect(defaultPath('logs', { ...facts, platform: 'darwin' })).toBe('/home/me/Library/Logs/Holdfast');
    expect(defaultPath('nowhere', { ...facts, platform: 'linux' })).toBeUndefined();
  });

  it('presses the button that cancels when a message box is closed', () => {
    const box = { message: '' };
    expect(cancelButton({ ...box, buttons: ['Go', '&Cancel'] })).toBe(1);
    expect(cancelButton({ ...box, buttons: ['A', 'B', 'C'], cancelId: 2 })).toBe(2);
    expect(cancelButton(box)).toBe(0);
  });
});
