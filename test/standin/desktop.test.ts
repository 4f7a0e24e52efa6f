import { describe, expect, it } from 'vitest';
import { until, useFixture } from './launch.ts';

describe('what the desktop would have seen', () => {
  const fixture = useFixture();

  const recorded = (kind: string) =>
    fixture().inMain(({ __standin }, name) => __standin.eventsOf(name), kind);

  it('names the host, its Chromium and what it does not prove', async () => {
    const { versions } = await fixture().inMain(
      () => ({ versions: { ...process.versions } as Record<string, string> }),
      null,
    );
    const [host] = await recorded('host');
    expect(host?.['line']).toContain(`host: stand-in, Chromium ${versions['chrome']} (does not prove: `);
    expect(versions['standin']).toBe('1');
    expect(versions['electron']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('records tray, tooltip and menus as plain data', async () => {
    expect(await recorded('tray')).toEqual([{ kind: 'tray', icon: 'tray.png' }]);
    expect(await recorded('tray.tooltip')).toEqual([{ kind: 'tray.tooltip', text: 'nothing wrong' }]);
    expect(await recorded('tray.menu')).toEqual([
      { kind: 'tray.menu', items: [{ label: 'Fail one', id: 'fail' }] },
    ]);
    expect(await recorded('menu')).toEqual([
      {
        kind: 'menu',
        items: [
          {
            label: 'File',
            type: 'submenu',
            submenu: [
              { label: 'Open…', id: 'open' },
              { label: 'quit', role: 'quit' },
            ],
          },
        ],
      },
    ]);
  });

  it('clicks items by id and by text, and the notifications they raise', async () => {
    await fixture().inMain(({ __standin }) => {
      __standin.clickTrayItem('fail');
      __standin.clickMenuItem('Open…');
      __standin.clickNotification(-1);
    }, null);
    expect((await recorded('notification')).map(({ body }) => body)).toEqual([
      'from the tray',
      'from the menu',
    ]);
    await until(() => fixture().said().includes('fixture: notification clicked'));
  });

  it('says what a menu has when it lacks what was clicked', async () => {
    await expect(
      fixture().inMain(({ __standin }) => __standin.clickTrayItem('nothing'), null),
    ).rejects.toThrow('The tray menu has no item "nothing". It has: [{"label":"Fail one","id":"fail"}]');
  });

  it('answers a dialog as told, and otherwise as one that was cancelled', async () => {
    const answers = await fixture().inMain(async ({ __standin, dialog }) => {
      __standin.answerDialog('showOpenDialog', { filePaths: ['/a/journal'] });
      const box = { message: 'Quit?', buttons: ['Suspend all and quit', 'Cancel'] };
      return [
        await dialog.showOpenDialog({}),
        await dialog.showOpenDialog({}),
        await dialog.showMessageBox(box),
      ];
    }, null);
    expect(answers).toEqual([
      { canceled: false, filePaths: ['/a/journal'] },
      { canceled: true, filePaths: [] },
      { response: 1, checkboxChecked: false },
    ]);
    expect((await recorded('dialog')).at(-1)).toMatchObject({ method: 'showMessageBox', message: 'Quit?' });
  });

  it('hands over a file that is opened with the app', async () => {
    const taken = await fixture().inMain(({ __standin }) => __standin.openFile('/a/journal.holdfast'), null);
    expect(taken).toBe(true);
    await until(() => fixture().said().includes('fixture: open /a/journal.holdfast'));
  });

  it('gives every page the colours that the app or the desktop chose', async () => {
    const { page } = fixture();
    const dark = '(prefers-color-scheme: dark)';
    await page.waitForFunction((query) => matchMedia(query).matches, dark);
    await fixture().inMain(({ nativeTheme, __standin }) => {
      __standin.setSystemTheme('light');
      nativeTheme.themeSource = 'system';
    }, null);
    await page.waitForFunction((query) => !matchMedia(query).matches, dark);
    expect(await fixture().inMain(({ nativeTheme }) => nativeTheme.shouldUseDarkColors, null)).toBe(false);
  });

  it('gives the page the size that the window was asked for, and hides and shows it', async () => {
    const { page } = fixture();
    await page.waitForFunction(() => innerWidth === 900 && innerHeight === 600);
    await fixture().inMain(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.setBounds({ width: 1000, height: 700 }),
      null,
    );
    await page.waitForFunction(() => innerWidth === 1000 && innerHeight === 700);
    const visible = await fixture().inMain(({ BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows()[0]!;
      const seen = [window.isVisible()];
      window.hide();
      seen.push(window.isVisible());
      window.show();
      return [...seen, window.isVisible(), window.isFocused()];
    }, null);
    expect(visible).toEqual([true, false, true, true]);
  });
});
