import { EventEmitter } from 'node:events';
import { record } from '../record.ts';
import { MenuItem as Item, type Template } from './menu-item.ts';

let applicationMenu: Menu | null = null;

/** As an app makes one: with a template whose submenu may be one too. */
export class MenuItem extends Item {
  constructor(template: Template) {
    const { submenu } = template;
    super(template, Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : submenu);
  }
}

export class Menu extends EventEmitter {
  readonly items: MenuItem[] = [];

  append(item: MenuItem): void {
    this.items.push(item);
  }

  insert(position: number, item: MenuItem): void {
    this.items.splice(position, 0, item);
  }

  getMenuItemById(id: string): MenuItem | null {
    return this.find((item) => item.id === id) ?? null;
  }

  popup(): void {
    this.emit('menu-will-show');
    record('menu.popup', { items: this.describe() });
  }

  closePopup(): void {
    this.emit('menu-will-close');
  }

  /** The stand-in's own. */
  describe(): Record<string, unknown>[] {
    return this.items.map((item) => item.describe());
  }

  /** The stand-in's own: the first item at any depth. */
  find(wanted: (item: MenuItem) => boolean): MenuItem | undefined {
    for (const item of this.items) {
      const found = wanted(item) ? item : item.submenu?.find(wanted);
      if (found) return found;
    }
    return undefined;
  }

  static buildFromTemplate(template: readonly (Template | MenuItem)[]): Menu {
    const menu = new Menu();
    for (const entry of template) menu.append(entry instanceof MenuItem ? entry : new MenuItem(entry));
    return menu;
  }

  static setApplicationMenu(menu: Menu | null): void {
    applicationMenu = menu;
    record('menu', { items: menu?.describe() ?? null });
  }

  static getApplicationMenu(): Menu | null {
    return applicationMenu;
  }
}
