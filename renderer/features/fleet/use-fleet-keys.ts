import { useEffect, useEffectEvent, type KeyboardEvent } from 'react';
import { useConsole } from '../../app/console-context.ts';
import { isTyping } from '../../ui/keys.ts';

/** Where a key leads from the selected row, or null where it leads nowhere. */
export function stepFor(key: string, keys: readonly string[], selected: string | null): string | null {
  const at = selected === null ? -1 : keys.indexOf(selected);
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return keys[at < 0 ? 0 : Math.min(at + 1, keys.length - 1)] ?? null;
    case 'k':
    case 'ArrowUp':
      return keys[at < 0 ? 0 : Math.max(at - 1, 0)] ?? null;
    case 'g':
    case 'Home':
      return keys[0] ?? null;
    case 'G':
    case 'End':
      return keys.at(-1) ?? null;
    default:
      return null;
  }
}

/**
 * Moving through the rows, by arrows while the table has the focus and by letters wherever nobody is typing. The
 * result handles the keys of the table.
 */
export function useFleetKeys(
  keys: readonly string[],
  selected: string | null,
  focusRow: (key: string) => void,
): (event: KeyboardEvent) => void {
  const { fleetView } = useConsole();
  const go = (event: Pick<KeyboardEvent, 'key' | 'preventDefault'>): void => {
    const next = stepFor(event.key, keys, selected);
    if (next === null) return;
    event.preventDefault();
    fleetView.setState({ selected: next });
    focusRow(next);
  };
  const onPageKey = useEffectEvent((event: globalThis.KeyboardEvent): void => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;
    if (plain && !isTyping(event.target) && /^(j|k|g|G|ArrowUp|ArrowDown)$/.test(event.key)) go(event);
  });
  // Coming back from a process, the focus returns to its row.
  const onAppear = useEffectEvent((): void => {
    if (selected !== null && document.activeElement === document.body) focusRow(selected);
  });
  useEffect(() => {
    onAppear();
    document.addEventListener('keydown', onPageKey);
    return () => document.removeEventListener('keydown', onPageKey);
  }, []);
  return (event) => {
    const onRow = event.target instanceof HTMLElement && event.target.matches('tr');
    if (onRow && (event.key === 'Home' || event.key === 'End')) go(event);
  };
}
