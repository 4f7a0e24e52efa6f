import { Menu, Tray } from 'electron';
import { join } from 'node:path';
import type { TrayAction, TrayIcon, TrayModel } from './tray-model.ts';

export interface ConsoleTray {
  /** Shows the model, if it differs from what is shown. */
  show(model: TrayModel): void;
  destroy(): void;
}

/** Holds on to its tray: an icon whose object is collected disappears. */
export function createTray(
  directory: string,
  first: TrayModel,
  act: (action: TrayAction) => void,
): ConsoleTray {
  const tray = new Tray(join(directory, pictureOf(first.icon, process.platform)));
  let shown = '';
  const show = (model: TrayModel): void => {
    const next = JSON.stringify(model);
    if (next === shown) return;
    shown = next;
    tray.setImage(join(directory, pictureOf(model.icon, process.platform)));
    tray.setToolTip(model.tooltip);
    tray.setContextMenu(
      Menu.buildFromTemplate(
        model.menu.map((item) => {
          if (item.kind === 'separator') return { type: 'separator' as const };
          if (item.kind === 'text') return { label: item.label, enabled: false };
          return { label: item.label, click: () => act(item.action) };
        }),
      ),
    );
  };
  show(first);
  // Some Linux desktops never send this, which is why the menu has an entry that does the same.
  tray.on('click', () => act({ type: 'show' }));
  return { show, destroy: () => tray.destroy() };
}

/** macOS colours a template itself; Linux panels know no scale; Windows takes the file for its own scale. */
function pictureOf(icon: TrayIcon, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return `${icon}Template.png`;
  return platform === 'linux' ? `${icon}-panel.png` : `${icon}.png`;
}
