import type { KeyboardEvent } from 'react';

const itemsOf = (menu: Element): readonly HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role=menuitem]'),
];

/** A menu that appears takes the focus to its first item. To be given as its ref. */
export function focusFirst(menu: Element | null): void {
  // It is drawn before it is placed: scrolling to where it is not yet would move the page.
  if (menu !== null) itemsOf(menu)[0]?.focus({ preventScroll: true });
}

/**
 * The keys of a menu: up and down go round, Home and End go to the ends, Esc and Tab leave it. For the capture phase,
 * ahead of the items' own keys.
 */
export function onMenuKey(event: KeyboardEvent, close: () => void): void {
  const items = itemsOf(event.currentTarget);
  const at = items.findIndex((item) => item === document.activeElement);
  switch (event.key) {
    case 'ArrowDown':
      items[(at + 1) % items.length]?.focus();
      break;
    case 'ArrowUp':
      items.at(Math.max(at, 0) - 1)?.focus();
      break;
    case 'Home':
      items[0]?.focus();
      break;
    case 'End':
      items.at(-1)?.focus();
      break;
    case 'Escape':
    case 'Tab':
      close();
      break;
    case 'Enter':
    case ' ':
      // The item acts when the key comes up: until then, what takes the focus from it would be pressed by that.
      break;
    default:
      return;
  }
  // The table under it listens to the same keys.
  event.preventDefault();
  event.stopPropagation();
}

/** Enter or Space that comes up presses the item. */
export function onMenuKeyUp(event: KeyboardEvent): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  itemsOf(event.currentTarget)
    .find((item) => item === document.activeElement)
    ?.click();
}
