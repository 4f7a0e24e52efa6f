import { EventEmitter } from 'node:events';
import { record } from '../record.ts';
import { imageName } from './native-image.ts';

let lastId = 0;

/** The part of a window that only the desktop would draw: here it is recorded. */
export class DecoratedWindow extends EventEmitter {
  readonly id = ++lastId;

  setMinimumSize(width: number, height: number): void {
    record('window.minimum-size', { id: this.id, width, height });
  }

  center(): void {
    record('window.center', { id: this.id });
  }

  flashFrame(flag: boolean): void {
    record('window.flash', { id: this.id, flag });
  }

  setProgressBar(progress: number): void {
    record('window.progress', { id: this.id, progress });
  }

  setBackgroundColor(color: string): void {
    record('window.background', { id: this.id, color });
  }

  setIcon(icon: unknown): void {
    record('window.icon', { id: this.id, icon: imageName(icon) });
  }

  setMenu(menu: Electron.Menu | null): void {
    record('window.menu', { id: this.id, present: menu !== null });
  }

  setMenuBarVisibility(visible: boolean): void {
    record('window.menu-bar', { id: this.id, visible });
  }
}
