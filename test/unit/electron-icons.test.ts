import { Resvg } from '@resvg/resvg-js';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { icnsFile, icoFile } from '../../electron/icon-files.ts';
import { templateOf } from '../../electron/icons.ts';

const STATES = ['ok', 'attention', 'alarm', 'idle'] as const;
const SIZE = 16;
const pairs = STATES.flatMap((one, at) => STATES.slice(at + 1).map((other) => [one, other] as const));

const svgOf = (state: string): string =>
  readFileSync(resolve(import.meta.dirname, `../../resources/tray/${state}.svg`), 'utf8');
/** Red, green, blue and alpha of each pixel. */
function pixelsOf(svg: string): Buffer {
  return new Resvg(svg, { fitTo: { mode: 'width', value: SIZE }, font: { loadSystemFonts: false } }).render()
    .pixels;
}
function shapeOf(svg: string): readonly boolean[] {
  const pixels = pixelsOf(svg);
  return Array.from({ length: SIZE * SIZE }, (_, at) => (pixels[at * 4 + 3] ?? 0) > 127);
}

describe('the states of the tray', () => {
  test.each(pairs)('%s and %s differ in shape alone, at sixteen pixels', (one, other) => {
    const shape = shapeOf(templateOf(svgOf(one)));
    const different = shapeOf(templateOf(svgOf(other))).filter((set, at) => set !== shape[at]).length;
    expect(different).toBeGreaterThan((SIZE * SIZE) / 10);
  });

  const colourOf = (state: string): string => /#[0-9a-f]{6}/.exec(svgOf(state))?.[0] ?? '';

  test('and in colour', () => {
    expect(new Set(STATES.map(colourOf)).size).toBe(STATES.length);
  });

  test.each(STATES.flatMap((state) => ['#ffffff', '#1c2127'].map((panel) => [state, panel] as const)))(
    '%s is seen on a panel of %s',
    (state, panel) => {
      expect(contrast(colourOf(state), panel)).toBeGreaterThanOrEqual(3);
    },
  );

  test.each(STATES)('the template of %s is black and clear, nothing else', (state) => {
    const pixels = pixelsOf(templateOf(svgOf(state)));
    const coloured = pixels.filter((value, at) => at % 4 !== 3 && value !== 0);
    expect(coloured).toHaveLength(0);
    expect(pixels.some((value, at) => at % 4 === 3 && value === 255)).toBe(true);
  });
});

describe('the containers', () => {
  const pictures = [16, 256, 512].map((size) => ({ size, png: Buffer.alloc(size, size % 251) }));

  test('an .ico lists each picture up to 256 pixels with its place and length', () => {
    const file = icoFile(pictures);
    expect(file.readUInt16LE(2)).toBe(1);
    expect(file.readUInt16LE(4)).toBe(2);
    expect([file.readUInt8(6), file.readUInt8(6 + 16)]).toEqual([16, 0]);
    for (const [index, { png }] of pictures.slice(0, 2).entries()) {
      const length = file.readUInt32LE(6 + 16 * index + 8);
      const offset = file.readUInt32LE(6 + 16 * index + 12);
      expect(file.subarray(offset, offset + length).equals(png)).toBe(true);
    }
  });

  test('an .icns is chunks whose lengths add up', () => {
    const file = icnsFile(pictures);
    expect(file.toString('ascii', 0, 4)).toBe('icns');
    expect(file.readUInt32BE(4)).toBe(file.length);
    const types: string[] = [];
    for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4))
      types.push(file.toString('ascii', at, at + 4));
    expect(types).toEqual(['ic08', 'ic13', 'ic09', 'ic14']);
  });
});

/** The ratio of the web's accessibility guidelines. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
