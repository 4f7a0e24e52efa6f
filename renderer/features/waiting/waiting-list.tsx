import { useEffect, useEffectEvent, useRef } from 'react';
import type { WaitingItem } from '../../../core/contract/waiting-view.ts';
import { useConsole } from '../../app/console-context.ts';
import { isTyping } from '../../ui/keys.ts';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { stepFor } from '../fleet/use-fleet-keys.ts';
import { KIND_WORDS } from './waiting-text.ts';

interface Props {
  readonly items: readonly WaitingItem[];
  readonly selected: string | null;
}

/** What waits, the urgent and then the oldest first; one of them is looked at. */
export function WaitingList({ items, selected }: Props) {
  const { waiting } = useConsole();
  const list = useRef<HTMLUListElement>(null);
  const keys = items.map(({ key }) => key);
  const focus = (key: string): void =>
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  const onPageKey = useEffectEvent((event: KeyboardEvent): void => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;
    if (!plain || isTyping(event.target) || !/^(j|k|g|G)$|^Arrow(Up|Down)$/.test(event.key)) return;
    const isArrow = event.key.startsWith('Arrow');
    // Elsewhere arrows scroll what they are in.
    if (isArrow && !list.current?.contains(document.activeElement)) return;
    const next = stepFor(event.key, keys, selected);
    if (next === null) return;
    event.preventDefault();
    waiting.select(next);
    focus(next);
  });
  useEffect(() => {
    document.addEventListener('keydown', onPageKey);
    return () => document.removeEventListener('keydown', onPageKey);
  }, []);
  // What was decided is gone with the button that had the focus: it goes to what took its place.
  const onMoved = useEffectEvent((key: string): void => {
    if (document.activeElement === document.body) focus(key);
  });
  useEffect(() => {
    if (selected !== null) onMoved(selected);
  }, [selected]);
  return (
    <ul className="hf-plain hf-waiting-list" aria-label="What waits" ref={list}>
      {items.map((item) => (
        <li key={item.key}>
          <button
            type="button"
            className="hf-waiting-row"
            data-key={item.key}
            aria-current={item.key === selected}
            onClick={() => waiting.select(item.key)}
          >
            <Row item={item} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Row({ item }: { readonly item: WaitingItem }) {
  const { kind, title, text, process, since, expiresAt, isUrgent, live } = item;
  return (
    <>
      <span className="hf-waiting-head">
        <span className={`hf-flag hf-waiting-${kind}`}>{KIND_WORDS[kind]}</span>
        {isUrgent && <span className="hf-flag hf-flag-attention">urgent</span>}
        {kind !== 'question' && <code className="hf-mono hf-waiting-title">{visibleLine(title)}</code>}
        <span className="hf-muted hf-waiting-age">
          <Ago at={since} />
        </span>
      </span>
      {text !== '' && <span className="hf-waiting-text">{visibleLine(text)}</span>}
      <span className="hf-muted hf-waiting-about">
        {visibleLine(process)}
        {!live && ' · only looked at'}
        {expiresAt !== null && (
          <>
            {' '}
            · expires <Until at={expiresAt} />
          </>
        )}
      </span>
    </>
  );
}
