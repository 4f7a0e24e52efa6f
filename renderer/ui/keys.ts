/** True where letters belong to a text, or a dialog or menu has the keys to itself. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return (
    target.closest('input, textarea, select, [role="dialog"], [role="menu"], [contenteditable]') !== null
  );
}
