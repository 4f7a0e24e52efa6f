import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPlaces, findChromium, installLine } from './find-chromium.ts';

const machine = (platform: NodeJS.Platform, env: Record<string, string>, ...there: string[]) => ({
  platform,
  env,
  isExecutable: (path: string) => there.includes(path),
});

describe('finding a Chromium', () => {
  const path = { PATH: ['/usr/local/bin', '/usr/bin'].join(delimiter) };

  it('takes the first name on the path, not the first folder', () => {
    const found = findChromium(machine('linux', path, '/usr/local/bin/google-chrome', '/usr/bin/chromium'));
    expect(found).toBe('/usr/bin/chromium');
  });

  it('obeys STANDIN_CHROMIUM, and does not look elsewhere if that is wrong', () => {
    const env = { ...path, STANDIN_CHROMIUM: '/opt/mine' };
    expect(findChromium(machine('linux', env, '/opt/mine', '/usr/bin/chromium'))).toBe('/opt/mine');
    expect(findChromium(machine('linux', env, '/usr/bin/chromium'))).toBeUndefined();
  });

  it('looks where macOS and Windows keep applications', () => {
    const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
    expect(findChromium(machine('darwin', {}, mac))).toBe(mac);
    const edge = join('C:/Apps', 'Microsoft', 'Edge', 'Application', 'msedge.exe');
    expect(chromiumPlaces({ platform: 'win32', env: { PROGRAMFILES: 'C:/Apps' } })).toContain(edge);
  });

  it('finds none on an empty machine, and says what installs one', () => {
    expect(findChromium(machine('linux', {}))).toBeUndefined();
    expect(installLine('linux')).toBe('apt-get install chromium');
  });
});
