import { Menu } from 'electron';
import { menuTemplate, type MenuOptions } from './commands.ts';

export function installMenu(options: MenuOptions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(options)));
}
