/** The heading of the page, or the page: where the focus goes when it has nowhere else. */
export function focusPage(): void {
  const home =
    document.querySelector<HTMLElement>('main h1[tabindex]') ?? document.querySelector<HTMLElement>('main');
  home?.focus({ preventScroll: true });
}

/** Gives the focus back; what is gone or off by now hands it to its row, or to the page. */
export function focusAgain(opener: Element | null): void {
  const known = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
  const target = known && opener.matches(':disabled') ? opener.closest<HTMLElement>('tr[tabindex]') : opener;
  if (known && target instanceof HTMLElement) target.focus();
  else focusPage();
}
