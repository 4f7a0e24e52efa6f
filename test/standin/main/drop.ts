import type { Session } from '../chromium/cdp.ts';

/** Drops files or directories on the middle of a page, as a person does from a file manager. */
export async function dropFiles(page: Session, files: string[]): Promise<void> {
  const { cssLayoutViewport } = await page.send('Page.getLayoutMetrics');
  const x = Math.round(cssLayoutViewport.clientWidth / 2);
  const y = Math.round(cssLayoutViewport.clientHeight / 2);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await page.send('Input.dispatchDragEvent', { type, x, y, data });
  }
}
