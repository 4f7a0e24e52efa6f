import { readFileSync } from 'node:fs';

const EMPTY = Buffer.alloc(0);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The width and height in a PNG's header. */
function sizeOf(bytes: Buffer): Electron.Size {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(PNG)) return { width: 0, height: 0 };
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

type Kept =
  | 'getSize'
  | 'getAspectRatio'
  | 'isEmpty'
  | 'isTemplateImage'
  | 'setTemplateImage'
  | 'toPNG'
  | 'toDataURL';

/** Bytes of a PNG: nothing here draws or scales. */
export class NativeImage implements Pick<Electron.NativeImage, Kept> {
  readonly source: string;
  readonly #bytes: Buffer;
  #template: boolean;

  constructor(bytes: Buffer, source: string) {
    this.#bytes = bytes;
    this.source = source;
    this.#template = /Template(@\dx)?\.png$/.test(source);
  }

  isEmpty(): boolean {
    return this.getSize().width === 0;
  }

  getSize(): Electron.Size {
    return sizeOf(this.#bytes);
  }

  getAspectRatio(): number {
    const { width, height } = this.getSize();
    return height === 0 ? 1 : width / height;
  }

  toPNG(): Buffer {
    return Buffer.from(this.#bytes);
  }

  toDataURL(): string {
    return `data:image/png;base64,${this.#bytes.toString('base64')}`;
  }

  resize(): NativeImage {
    return this;
  }

  addRepresentation(): void {}

  isTemplateImage(): boolean {
    return this.#template;
  }

  setTemplateImage(option: boolean): void {
    this.#template = option;
  }
}

export const nativeImage = {
  createEmpty: (): NativeImage => new NativeImage(EMPTY, ''),
  createFromBuffer: (buffer: Buffer): NativeImage => new NativeImage(Buffer.from(buffer), 'buffer'),
  createFromDataURL: (url: string): NativeImage =>
    new NativeImage(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'), 'data'),
  /** Empty, as in Electron, if there is no such file. */
  createFromPath(path: string): NativeImage {
    try {
      return new NativeImage(readFileSync(path), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new NativeImage(EMPTY, path);
      throw error;
    }
  },
};

/** How a picture is named in a record: by its file where it has one. */
export function imageName(image: unknown): string {
  return image instanceof NativeImage ? image.source : String(image);
}
