/** A window, as far as the app's life depends on it. */
export interface ClosableWindow {
  /** Asks; true if it has closed. */
  askToClose(): boolean;
  destroy(): void;
}

const open = new Set<ClosableWindow>();
let onLastClosed: () => void = () => undefined;

export function addWindow(window: ClosableWindow): void {
  open.add(window);
}

export function removeWindow(window: ClosableWindow): void {
  if (open.delete(window) && open.size === 0) onLastClosed();
}

export function openWindows(): ClosableWindow[] {
  return [...open];
}

export function whenLastCloses(listener: () => void): void {
  onLastClosed = listener;
}
