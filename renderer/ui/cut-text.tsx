import { cutMiddle } from './numbers.ts';
import { visibleLine } from './visible-text.ts';

/** An id or a path: its middle is cut, the whole is on hover and in what is copied. */
export function CutText({ text, room }: { readonly text: string; readonly room: number }) {
  const shown = visibleLine(text);
  return (
    <span className="hf-mono" title={shown} data-copy={text}>
      {cutMiddle(shown, room)}
    </span>
  );
}
