import { EventEmitter } from 'node:events';
import { record } from '../record.ts';
import type { Menu } from './menu.ts';
import { imageName } from './native-image.ts';

type Kept =
  | 'destroy'
  | 'displayBalloon'
  | 'getBounds'
  | 'getTitle'
  | 'isDestroyed'
  | 'popUpContextMenu'
  | 'setContextMenu'
  | 'setImage'
  | 'setIgnoreDoubleClickEvents'
  | 'setPressedImage'
  | 'setTitle'
  | 'setToolTip';

const trays = new Set<Tray>();

export class Tray extends EventEmitter implements Record<Kept, unknown> {
  menu: Menu | null = null;
  #title = '';

  constructor(image: unknown) {
    super();
    trays.add(this);
    record('tray', { icon: imageName(image) });
  }

  setImage(image: unknown): void {
    record('tray.image', { icon: imageName(image) });
  }

  setPressedImage(image: unknown): void {
    record('tray.pressed-image', { icon: imageName(image) });
  }

  setToolTip(text: string): void {
    record('tray.tooltip', { text });
  }

  setTitle(title: string): void {
    this.#title = title;
    record('tray.title', { title });
  }

  getTitle(): string {
    return this.#title;
  }

  setContextMenu(menu: Menu | null): void {
    this.menu = menu;
    record('tray.menu', { items: menu?.describe() ?? null });
  }

  popUpContextMenu(menu: Menu | null = this.menu): void {
    menu?.popup();
  }

  displayBalloon(options: Electron.DisplayBalloonOptions): void {
    record('tray.balloon', { title: options.title, content: options.content });
  }

  setIgnoreDoubleClickEvents(): void {}

  getBounds(): Electron.Rectangle {
    return { x: 0, y: 0, width: 0, height: 0 };
  }

  destroy(): void {
    if (trays.delete(this)) record('tray.destroyed');
  }

  isDestroyed(): boolean {
    return !trays.has(this);
  }
}

export function openTrays(): Tray[] {
  return [...trays];
}
