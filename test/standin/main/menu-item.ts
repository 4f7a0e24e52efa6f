import type { BrowserWindow } from './browser-window.ts';
import { app } from './app.ts';
import { record } from '../record.ts';
import type { Menu } from './menu.ts';

export type Template = Omit<Electron.MenuItemConstructorOptions, 'submenu'> & {
  readonly submenu?: Menu | Template[];
};

type Kept = 'checked' | 'enabled' | 'id' | 'label' | 'sublabel' | 'toolTip' | 'type' | 'visible';

const clean = (text: string): string => text.replaceAll(/&(&?)/g, '$1');

/** What a role does where the stand-in can do it; the rest is the desktop's and only recorded. */
function perform(role: string, window: BrowserWindow | null): void {
  switch (role.toLowerCase()) {
    case 'quit':
      app.quit();
      break;
    case 'close':
      window?.close();
      break;
    case 'minimize':
      window?.minimize();
      break;
    case 'reload':
    case 'forcereload':
      window?.reload();
      break;
    case 'togglefullscreen':
      window?.setFullScreen(!window.isFullScreen());
      break;
    default:
      record('menu.role', { role });
  }
}

export class MenuItem implements Pick<Electron.MenuItem, Kept> {
  readonly id: string;
  readonly type: Electron.MenuItem['type'];
  readonly role: Template['role'];
  readonly accelerator: Template['accelerator'];
  readonly submenu: Menu | undefined;
  label: string;
  sublabel: string;
  toolTip: string;
  enabled: boolean;
  visible: boolean;
  checked: boolean;
  readonly #click: Template['click'];

  constructor(template: Template, submenu: Menu | undefined) {
    this.id = template.id ?? '';
    this.type = template.type ?? (submenu ? 'submenu' : 'normal');
    this.role = template.role;
    this.accelerator = template.accelerator;
    this.submenu = submenu;
    this.label = template.label ?? template.role ?? '';
    this.sublabel = template.sublabel ?? '';
    this.toolTip = template.toolTip ?? '';
    this.enabled = template.enabled ?? true;
    this.visible = template.visible ?? true;
    this.checked = template.checked ?? false;
    this.#click = template.click;
  }

  /** What a click by a person does; `window` is the focused one. */
  click(event: unknown = {}, window: BrowserWindow | null = null): void {
    if (!this.enabled) return;
    if (this.type === 'checkbox') this.checked = !this.checked;
    if (this.type === 'radio') this.checked = true;
    if (this.#click) {
      const item = this as unknown as Electron.MenuItem;
      this.#click(
        item,
        (window ?? undefined) as Electron.BaseWindow | undefined,
        event as Electron.KeyboardEvent,
      );
    } else if (this.role !== undefined) {
      perform(this.role, window);
    }
  }

  /** The stand-in's own: what a person would read, as plain data. */
  describe(): Record<string, unknown> {
    return {
      label: clean(this.label),
      ...(this.id !== '' && { id: this.id }),
      ...(this.type !== 'normal' && { type: this.type }),
      ...(this.role !== undefined && { role: this.role }),
      ...(this.accelerator && { accelerator: this.accelerator }),
      ...(!this.enabled && { enabled: false }),
      ...(!this.visible && { visible: false }),
      ...(this.checked && { checked: true }),
      ...(this.submenu && { submenu: this.submenu.describe() }),
    };
  }

  /** The stand-in's own: whether a test means this item, by its id or its text. */
  isCalled(name: string): boolean {
    return this.id === name || clean(this.label) === name;
  }
}
