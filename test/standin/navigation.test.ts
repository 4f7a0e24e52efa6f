import { describe, expect, it } from 'vitest';
import { until, useFixture } from './launch.ts';

describe('what a page may not do unless the app allows it', () => {
  const fixture = useFixture();

  const recorded = (kind: string) =>
    fixture().inMain(({ __standin }, name) => __standin.eventsOf(name), kind);
  const count = async (kind: string): Promise<number> => (await recorded(kind)).length;

  it('opens no window, by script or by link', async () => {
    const opened = await fixture().page.evaluate(() => window.open('http://elsewhere.test/script') === null);
    expect(opened).toBe(true);
    await fixture().page.click('#aside');
    await fixture().page.click('#away', { modifiers: ['ControlOrMeta'] });
    await until(async () => (await count('window-open')) === 3);
    expect(await recorded('window-open')).toEqual([
      { kind: 'window-open', url: 'http://elsewhere.test/script', action: 'deny' },
      { kind: 'window-open', url: 'http://elsewhere.test/aside', action: 'deny' },
      { kind: 'window-open', url: 'http://elsewhere.test/away', action: 'deny' },
    ]);
    expect(fixture().app.windows()).toHaveLength(1);
  });

  it('opens none past the guard in the page either: main closes it', async () => {
    const before = await count('window-open');
    await fixture().page.evaluate(() => {
      const form = document.createElement('form');
      form.target = '_blank';
      form.action = '/what';
      document.body.append(form);
      form.submit();
    });
    await until(async () => (await count('window-open')) === before + 1);
    await until(() => fixture().app.windows().length === 1);
    expect(await fixture().inMain(({ BrowserWindow }) => BrowserWindow.getAllWindows().length, null)).toBe(1);
  });

  it.each([
    ['a link', '#away', 'http://elsewhere.test/away'],
    ['a redirect', '#bounce', 'app://fixture/bounce'],
  ])('goes nowhere by %s', async (_what, link, url) => {
    const before = await count('navigation-prevented');
    await fixture().page.click(link);
    await until(async () => (await count('navigation-prevented')) > before);
    expect((await recorded('navigation-prevented')).at(-1)).toEqual({ kind: 'navigation-prevented', url });
    expect(fixture().page.url()).toBe('http://fixture.app.localhost/');
    expect(await fixture().page.textContent('#echo')).toBe('hello');
  });

  it('lets what main itself loads pass', async () => {
    await fixture().inMain(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.loadURL('app://fixture/index.html'),
      null,
    );
    await fixture().page.waitForFunction(() => document.querySelector('#echo')?.textContent === 'hello');
    expect(fixture().page.url()).toBe('http://fixture.app.localhost/index.html');
  });

  it('is granted only the permissions that the handler grants', async () => {
    const asked = await fixture().page.evaluate(async () => [
      await Notification.requestPermission(),
      await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('located'),
          (error) => resolve(error.code),
        ),
      ),
      await navigator.clipboard.writeText('copied').then(
        () => 'copied',
        (error: Error) => error.name,
      ),
      await navigator.clipboard.readText().catch((error: Error) => error.name),
    ]);
    expect(asked).toEqual(['denied', 1, 'copied', 'NotAllowedError']);
    expect((await recorded('permission')).map(({ permission, granted }) => [permission, granted])).toEqual([
      ['notifications', false],
      ['geolocation', false],
      ['clipboard-sanitized-write', true],
      ['clipboard-read', false],
    ]);
  });

  it('finds denied what the check handler denies, before it asks', async () => {
    await fixture().inMain(async ({ session, BrowserWindow }) => {
      session.defaultSession.setPermissionCheckHandler(
        (_contents, permission) => permission === 'geolocation',
      );
      await BrowserWindow.getAllWindows()[0]!.loadURL('app://fixture/');
    }, null);
    await fixture().page.waitForURL('http://fixture.app.localhost/');
    const states = await fixture().page.evaluate(async () => [
      Notification.permission,
      (await navigator.permissions.query({ name: 'geolocation' })).state,
    ]);
    expect(states).toEqual(['denied', 'granted']);
  });
});
