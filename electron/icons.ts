import { Resvg } from '@resvg/resvg-js';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { icnsFile, icoFile, type Picture } from './icon-files.ts';

const APP_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024] as const;
const TRAY_STATES = ['ok', 'attention', 'alarm', 'idle'] as const;
/** Up to this many pixels the detailed drawing is mud, and the simple one is used. */
const SMALL = 32;

function png(svg: string, size: number): Buffer {
  return new Resvg(svg, { fitTo: { mode: 'width', value: size }, font: { loadSystemFonts: false } })
    .render()
    .asPng();
}

/**
 * A macOS template image of a tray icon: the system takes its alpha alone and colours it to fit the menu bar. White
 * marks are dropped, since the shape under them is cut out.
 */
export function templateOf(svg: string): string {
  return svg.replaceAll(/<[^>]*class="mark"[^>]*>/g, '').replaceAll(/#[0-9a-f]{6}/g, '#000000');
}

/** Renders the drawings in `<resources>/icons` and `<resources>/tray` into `<out>/icons` and `<out>/tray`. */
export async function renderIcons(resources: string, out: string): Promise<void> {
  const draw = (name: string): Promise<string> => readFile(join(resources, name), 'utf8');
  await Promise.all([
    mkdir(join(out, 'icons/app'), { recursive: true }),
    mkdir(join(out, 'tray'), { recursive: true }),
  ]);

  const [app, small, journal] = await Promise.all([
    draw('icons/app.svg'),
    draw('icons/app-small.svg'),
    draw('icons/journal.svg'),
  ]);
  const appPictures = APP_SIZES.map((size) => ({ size, png: png(size <= SMALL ? small : app, size) }));
  const journalPictures = APP_SIZES.filter((size) => size <= 512).map((size) => ({
    size,
    png: png(journal, size),
  }));
  const files: [string, Uint8Array][] = [
    ...appPictures.map((picture): [string, Uint8Array] => [
      `icons/app/${String(picture.size)}x${String(picture.size)}.png`,
      picture.png,
    ]),
    ...containers('icons/app', appPictures),
    ...containers('icons/journal', journalPictures),
  ];

  for (const state of TRAY_STATES) {
    const svg = await draw(`tray/${state}.svg`);
    const template = templateOf(svg);
    files.push(
      // Electron picks by the suffix what the screen's scale needs.
      [`tray/${state}.png`, png(svg, 16)],
      [`tray/${state}@1.5x.png`, png(svg, 24)],
      [`tray/${state}@2x.png`, png(svg, 32)],
      // Linux panels know no scale and shrink what is too large.
      [`tray/${state}-panel.png`, png(svg, 32)],
      [`tray/${state}Template.png`, png(template, 16)],
      [`tray/${state}Template@2x.png`, png(template, 32)],
    );
  }
  await Promise.all(files.map(([name, bytes]) => writeFile(join(out, name), bytes)));
}

function containers(name: string, pictures: readonly Picture[]): [string, Uint8Array][] {
  return [
    [`${name}.ico`, icoFile(pictures)],
    [`${name}.icns`, icnsFile(pictures)],
  ];
}
