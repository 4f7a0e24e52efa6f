import { Import } from '@blueprintjs/icons';
import { useEffect, useState } from 'react';
import { useConsole, useSilent } from './console-context.ts';

/** Opens a journal directory, or its marker file, that is dropped anywhere on the window. */
export function DropTarget() {
  const { journals } = useConsole();
  const silent = useSilent();
  const [over, setOver] = useState(false);
  useEffect(() => {
    /** Entering a child fires before leaving its parent: only the balance tells whether the pointer is inside. */
    let depth = 0;
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const onEnter = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const onOver = (event: DragEvent): void => {
      // Without this the window would go to the file instead.
      event.preventDefault();
      if (event.dataTransfer !== null)
        event.dataTransfer.dropEffect = carriesFiles(event) && !silent ? 'copy' : 'none';
    };
    const onDrop = (event: DragEvent): void => {
      event.preventDefault();
      depth = 0;
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (!silent && files.length > 0) void journals.openDropped(files);
    };
    window.addEventListener('dragenter', onEnter);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragenter', onEnter);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
    };
  }, [journals, silent]);
  if (!over) return null;
  return (
    <div className="hf-drop" role="status">
      <div className="hf-drop-card">
        <Import size={28} />
        <strong>{silent ? 'The host does not answer' : 'Drop to open the journal'}</strong>
        <span>A journal directory, or the journal.holdfast file in it. Looking starts nothing.</span>
      </div>
    </div>
  );
}
