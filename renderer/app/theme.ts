import { Classes } from '@blueprintjs/core';

/** Follows the system between dark and light. The result stops following. */
export function followSystemTheme(page: Document, view: Window): () => void {
  const dark = view.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    page.body.classList.toggle(Classes.DARK, dark.matches);
  };
  apply();
  dark.addEventListener('change', apply);
  return () => dark.removeEventListener('change', apply);
}
