// The two containers that Windows and macOS want their icons in. Both may hold PNG as it is.

export interface Picture {
  /** Width and height in pixels. */
  readonly size: number;
  readonly png: Uint8Array;
}

const ICO_LARGEST = 256;

/** A Windows icon: a directory of 16 bytes for each picture, then the pictures. Those over 256 pixels are left out. */
export function icoFile(pictures: readonly Picture[]): Buffer {
  const fitting = pictures.filter((picture) => picture.size <= ICO_LARGEST);
  const head = Buffer.alloc(6 + 16 * fitting.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(fitting.length, 4);
  let offset = head.length;
  fitting.forEach((picture, index) => {
    const at = 6 + 16 * index;
    // 256 is written as 0.
    head.writeUInt8(picture.size % ICO_LARGEST, at);
    head.writeUInt8(picture.size % ICO_LARGEST, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(picture.png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += picture.png.length;
  });
  return Buffer.concat([head, ...fitting.map((picture) => picture.png)]);
}

/** The types of an `.icns` by their size in pixels; `ic11` to `ic14` are the doubled ones. */
const ICNS_TYPES: Readonly<Record<number, readonly string[]>> = {
  32: ['ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
};

/** A macOS icon: chunks of a type, a length and a PNG, inside one of the type `icns`. */
export function icnsFile(pictures: readonly Picture[]): Buffer {
  const chunk = (type: string, body: Uint8Array): Buffer => {
    const head = Buffer.alloc(8);
    head.write(type, 0, 'ascii');
    head.writeUInt32BE(body.length + 8, 4);
    return Buffer.concat([head, body]);
  };
  const chunks = pictures.flatMap((picture) =>
    (ICNS_TYPES[picture.size] ?? []).map((type) => chunk(type, picture.png)),
  );
  return chunk('icns', Buffer.concat(chunks));
}
