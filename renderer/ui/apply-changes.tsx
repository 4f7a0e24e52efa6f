import { counted } from './numbers.ts';

/** What waits while the order of a list is held, and the press that lets it in. Its room stays when nothing waits. */
export function ApplyChanges({ changes, apply }: { readonly changes: number; readonly apply: () => void }) {
  return (
    <span className="hf-pill-room">
      {changes > 0 && (
        <button type="button" className="hf-pill" onClick={apply}>
          {counted(changes, 'change')} · apply
        </button>
      )}
    </span>
  );
}
