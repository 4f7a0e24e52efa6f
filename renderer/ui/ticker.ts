import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let timer: number | null = null;

function settle(): void {
  const wanted = listeners.size > 0 && !document.hidden;
  if (wanted && timer === null) timer = window.setInterval(tick, TICK_MS);
  if (!wanted && timer !== null) {
    window.clearInterval(timer);
    timer = null;
  }
}

function tick(): void {
  for (const listener of listeners) listener();
}

function onVisibility(): void {
  settle();
  if (!document.hidden) tick();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', onVisibility);
  listeners.add(listener);
  settle();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', onVisibility);
    settle();
  };
}

/**
 * Text that depends on the time, brought up to date once a second for as long as the window is seen. One timer serves
 * everybody, and only what reads differently is rendered again.
 */
export function useTicking(text: () => string): string {
  return useSyncExternalStore(subscribe, text);
}
