import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch, useFixture } from './launch.ts';

interface FixtureBridge {
  version: number;
  add(a: number, b: number): number;
  requests: Record<'echo' | 'fail' | 'whoAmI', (value?: unknown) => Promise<unknown>>;
  events: { tick(listener: (value: unknown) => void): () => void };
}

/** What the fixture's page has on its window. */
type Global = typeof globalThis & {
  bridge: FixtureBridge;
  heard: unknown[];
  stop(): void;
  dropped?: { shown: string; heard: string };
};

describe('what a page and the preload share', () => {
  const fixture = useFixture({ FIXTURE_SUBFRAMES: '1' });

  it('is what contextBridge exposed and nothing else', async () => {
    const seen = await fixture().page.evaluate(() => {
      const names = ['require', 'process', 'module', 'ipcRenderer', 'secretOfThePreload', '__standin'];
      return names.filter((name) => name in window);
    });
    expect(seen).toEqual([]);
  });

  it('is frozen to its depth and cannot be replaced', async () => {
    const state = await fixture().page.evaluate(() => {
      const { bridge } = window as unknown as Global;
      const descriptor = Object.getOwnPropertyDescriptor(window, 'bridge')!;
      return {
        frozen: [bridge, bridge.requests, bridge.requests.echo, bridge.events].map((part) =>
          Object.isFrozen(part),
        ),
        writable: descriptor.writable,
        configurable: descriptor.configurable,
      };
    });
    expect(state).toEqual({ frozen: [true, true, true, true], writable: false, configurable: false });
  });

  it('answers at once where the preload does, and by promise where it does', async () => {
    const seen = await fixture().page.evaluate(async () => {
      const { bridge } = window as unknown as Global;
      return [bridge.version, bridge.add(2, 3), await bridge.requests.echo('again')];
    });
    expect(seen).toEqual([7, 5, 'again']);
  });

  it('keeps what structured clone keeps on the way to main and back', async () => {
    const kinds = await fixture().page.evaluate(async () => {
      const { bridge } = window as unknown as Global;
      const sent = {
        none: undefined,
        nan: Number.NaN,
        big: 2n ** 70n,
        when: new Date(5),
        bytes: new Uint8Array([1, 2, 255]),
        map: new Map([['a', { b: 1 }]]),
        list: [null, undefined, -0],
      };
      const got = (await bridge.requests.echo(sent)) as typeof sent;
      return [
        'none' in got && got.none === undefined,
        Number.isNaN(got.nan),
        got.big === sent.big,
        got.when instanceof Date && got.when.getTime() === 5,
        got.bytes instanceof Uint8Array && [...got.bytes].join(','),
        got.map instanceof Map && got.map.get('a')!.b,
        Object.is(got.list[2], -0) && got.list[1] === undefined && got.list.length,
      ];
    });
    expect(kinds).toEqual([true, true, true, true, '1,2,255', 1, 3]);
  });

  it('gives errors of main the words that Electron gives them', async () => {
    const message = await fixture().page.evaluate(() =>
      (window as unknown as Global).bridge.requests.fail().catch((error: Error) => error.message),
    );
    expect(message).toBe("Error invoking remote method 'fail': Error: boom");
    const missing = await fixture().page.evaluate(() =>
      (window as unknown as Global).bridge.requests.echo(() => 1).catch((error: Error) => error.message),
    );
    expect(missing).toContain('could not be cloned');
  });

  it('calls a listener of the page until it unsubscribes', async () => {
    const { page } = fixture();
    await page.evaluate(() => {
      const world = window as unknown as Global;
      world.heard = [];
      world.stop = world.bridge.events.tick((value) => world.heard.push(value));
    });
    const tick = (n: number): Promise<void> =>
      fixture().inMain(
        ({ BrowserWindow }, value) => BrowserWindow.getAllWindows()[0]!.webContents.send('tick', value),
        n,
      );
    await tick(1);
    await tick(2);
    await page.waitForFunction(() => (window as unknown as Global).heard.length === 2);
    await page.evaluate(() => (window as unknown as Global).stop());
    await tick(3);
    // What main answers after the tick arrives after it.
    const heard = await page.evaluate(async () => {
      const world = window as unknown as Global;
      await world.bridge.requests.echo(0);
      return world.heard;
    });
    expect(heard).toEqual([1, 2]);
  });

  it('tells main from which frame a message came', async () => {
    const { page } = fixture();
    expect(await page.evaluate(() => (window as unknown as Global).bridge.requests.whoAmI())).toEqual({
      url: 'app://fixture/',
      origin: 'app://fixture',
      isMain: true,
    });
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe');
          frame.src = '/frame';
          frame.addEventListener('load', resolve);
          document.body.append(frame);
          document.dispatchEvent(new Event('frame'));
        }),
    );
    const frame = page.frames().find((candidate) => candidate.url().endsWith('/frame'))!;
    expect(await frame.evaluate(() => (window as unknown as Global).bridge.requests.whoAmI())).toEqual({
      url: 'app://fixture/frame',
      origin: 'app://fixture',
      isMain: false,
    });
  });

  it('knows the path of a dropped file and of a dropped directory', async () => {
    const folder = scratch();
    const file = join(folder, 'journal.holdfast');
    writeFileSync(file, '{}');
    for (const path of [file, folder]) {
      await fixture().page.evaluate(() => delete (window as unknown as Global).dropped);
      await fixture().inMain(({ __standin }, dropped) => __standin.dropFiles(1, [dropped]), path);
      await fixture().page.waitForFunction(() => (window as unknown as Global).dropped !== undefined);
      const dropped = await fixture().page.evaluate(() => (window as unknown as Global).dropped);
      expect(dropped).toEqual({ shown: path, heard: path });
    }
  });

  it('knows no path for a file that a script made', async () => {
    const path = await fixture().page.evaluate(() =>
      (window as unknown as { bridge: { pathOf(file: File): Promise<string> } }).bridge.pathOf(
        new File(['x'], 'x.txt'),
      ),
    );
    expect(path).toBe('');
  });
});
