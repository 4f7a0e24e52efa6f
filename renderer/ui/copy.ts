/**
 * What is shown short is copied whole: an element with `data-copy` gives that text instead of its own. Cells are
 * parted by tabs, rows by line feeds.
 */
export function copyText(selection: Selection): string | null {
  if (selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: inside } = range;
  const element = inside instanceof Element ? inside : inside.parentElement;
  const whole = element?.closest('[data-copy]');
  if (whole instanceof HTMLElement) return whole.dataset['copy'] ?? null;
  const fragment = range.cloneContents();
  const marked = fragment.querySelectorAll<HTMLElement>('[data-copy]');
  if (marked.length === 0) return null;
  for (const item of marked) item.textContent = item.dataset['copy'] ?? '';
  for (const cell of fragment.querySelectorAll('td, th')) cell.append('\t');
  for (const row of fragment.querySelectorAll('tr, li')) row.append('\n');
  return fragment.textContent;
}

/** The result takes the listener off again. */
export function copyWhole(page: Document): () => void {
  const onCopy = (event: ClipboardEvent): void => {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    const selection = page.getSelection();
    const text = selection === null ? null : copyText(selection);
    if (text === null || event.clipboardData === null) return;
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  };
  page.addEventListener('copy', onCopy);
  return () => page.removeEventListener('copy', onCopy);
}
